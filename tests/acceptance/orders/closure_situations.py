"""Each of the 34 closure codes and OTHER closes a visit of an order (docs/order-messages.md, Closure codes)."""

from dataclasses import dataclass
from typing import Any

from tests.acceptance.orders.parties import A_DAY, PlacedOrder, Seller
from tests.acceptance.orders.situations import COMPLEX, situation
from tests.acceptance.orders.visit_situations import appointed, book
from tests.acceptance.orders.wire import element


@dataclass(frozen=True)
class Closure:
    """What closing a visit with `code` gives: the order's state, its last notification and the reason's code.

    `attends`: the engineer was on site; `installs`: an ONT was provisioned with success.
    """

    code: str
    state: str
    notification: str
    reason: str = ""
    attends: bool = True
    installs: bool = False

    def check(self, order: PlacedOrder) -> None:
        found = (order.state, order.kinds[-1])
        assert found == (self.state, self.notification), (self.code, order.kinds)
        members = order.members(self.notification)
        codes = {name: members[name]["code"] for name in ("delay", "reason", "warning") if name in members}
        assert list(codes.values()) == ([self.reason] if self.reason else []), (self.code, codes)


ENDS = (
    Closure("SP", "completed", "completed", installs=True),
    Closure("PSP", "completed", "completed", "592", installs=True),
    Closure("NTR", "completed", "completed", attends=False, installs=True),
    Closure("NAPUV", "cancelled", "cancelled", "573"),
    Closure("ASQ", "cancelled", "cancelled", "579"),
)
WITHOUT_RESULT = (
    Closure("SP", "committed", "delay", "234"),
    Closure("PSP", "committed", "delay", "234"),
    Closure("NTR", "committed", "delay", "234", attends=False),
)
# with whether compensation is due (Missed Appointment rules 7)
MISSED = (
    (Closure("RNA/NA", "committed", "delay", "237"), False),
    (Closure("FTA", "committed", "delay", "239", attends=False), True),
    (Closure("MBORC", "committed", "delay", "239", attends=False), False),
)
REPAIRS = tuple(Closure(code, "committed", "delay", "233") for code in ("UNF", "CON", "POP", "ONT"))
WAITS = (
    Closure("HAZ", "committed", "delay", "238"),
    Closure("OTHER", "committed", "delay", "235"),
    Closure("NOT-IN-THE-TABLE", "committed", "delay", "235"),
)
CHERRY_PICKER = Closure("CPR", "committed", "committed")
REVISITS = (
    *("REVCOMP", "REVCPR", "REVASQ", "REVHAZ", "REVNA", "REVUNF", "REVPOP", "REVCON", "REVONT", "REVASS"),
)
SURVEYS = (
    Closure("EXTCOMP", "acknowledged", "complexMilestone"),
    Closure("EXTHAZ", "acknowledged", "delay", "235"),
    Closure("EXTCON", "acknowledged", "delay", "235"),
    Closure("EXTPOP", "acknowledged", "delay", "235"),
    Closure("EXTASQ", "cancelled", "cancelled", "579"),
)
CIVILS = (
    Closure("CIVCOMP", "acknowledged", "complexMilestone"),
    Closure("CIVCON", "acknowledged", "delay", "235"),
    Closure("CIVNA", "acknowledged", "delay", "235"),
    Closure("CIVWAY", "cancelled", "cancelled", "580"),
    Closure("CIVQUO", "cancelled", "cancelled", "576"),
)
ALL = (
    *ENDS,
    *WITHOUT_RESULT,
    *(row for row, _ in MISSED),
    *REPAIRS,
    *WAITS,
    CHERRY_PICKER,
    *SURVEYS,
    *CIVILS,
)
# what test_acceptance_program.py compares with the table of the interface
CODES = {*REVISITS, *(row.code for row in ALL)}


def close(seller: Seller, order: PlacedOrder, row: Closure, **secondary: str) -> None:
    """The planned visit ends as the row says, and gives what it says."""
    seller.partner().visit(order, row.code, attends=row.attends, installs=row.installs, **secondary)
    row.check(order)


@situation
def closures_that_end_an_order(seller: Seller) -> None:
    """Success after a provisioning result of 1 or 2, and what the seller cancels."""
    for row in ENDS:
        close(seller, appointed(seller, 2), row)


@situation
def success_without_a_result(seller: Seller) -> None:
    """States, completion: no KCI3 without a successful provisioning result."""
    for row in WITHOUT_RESULT:
        close(seller, appointed(seller, 2), row)


@situation
def closures_that_miss_the_appointment(seller: Seller) -> None:
    """Missed Appointment rules 6 and 7, MBORC rules: the fault party decides on compensation."""
    for row, is_compensation_due in MISSED:
        order = appointed(seller, 3)
        close(seller, order, row)
        seller.move(2 * A_DAY)
        missed = order.members("missedAppointment")["missed_appointment"]
        by_end_user = row.code == "RNA/NA"
        assert (missed["is_end_user_missed"], missed["is_seller_missed"]) == (by_end_user, not by_end_user)
        assert missed["is_mborc"] == (row.code == "MBORC")
        assert order.report["is_compensation_due"] == is_compensation_due, row.code


@situation
def closures_that_wait_for_a_repair(seller: Seller) -> None:
    """Delay 233, and the seller's own appointment with a new pack after the repair."""
    orders = [appointed(seller, 3) for _ in REPAIRS]
    for order, row in zip(orders, REPAIRS, strict=True):
        close(seller, order, row)
    # a working week later, which a weekend and a bank holiday lengthen; by a day more the new visit may be missed
    for _ in range(14):
        if any(order.kinds[-1] == "committed" for order in orders):
            break
        seller.move(A_DAY)
    for order in orders:
        assert order.kinds[-1] == "committed", order.kinds
        assert len(order.report["visits"]) == 2


@situation
def closures_that_wait_for_the_buyer_or_a_person(seller: Seller) -> None:
    """HAZ: a new key; OTHER, and what is not in the table: a person at the seller decides. Pets are Delay 220."""
    for row in WAITS:
        close(seller, appointed(seller, 8), row)


@situation
def cherry_picker_comes_with_the_next_pack(seller: Seller) -> None:
    """CPR: a new appointment at once, and the new pack has the flag CHP."""
    order = appointed(seller, 8)
    close(seller, order, CHERRY_PICKER)
    job = seller.partner().accepted_job(order)
    assert "CHP" in job["pack"]["property"]["flags"]


@situation
def revisit_codes_are_refused(seller: Seller) -> None:
    """No order has a job of that type: 422, and nothing changes."""
    order, partner = appointed(seller, 8), seller.partner()
    job = partner.attend(order)
    seller.control.post("checking", {"is_strict": True})
    try:
        for code in REVISITS:
            answer = partner.close(job, code, status=422)
            assert f"{code} is a code of revisit".encode() in answer.content, answer.content[:500]
    finally:
        seller.control.post("checking", {"is_strict": False})
    assert order.kinds[-1] == "enniReserved"


# --- complex orders -----------------------------------------------------------------------------------------
def with_survey(seller: Seller, situation_number: int = 6) -> PlacedOrder:
    """The desktop survey was skipped, the physical survey is booked."""
    order = seller.buyer().install(seller.unused_uprn(situation_number), product=COMPLEX)
    order.act("desktop-survey", is_skipped=True)
    book(seller, order, "orderSurvey")
    return order


def with_civils(seller: Seller) -> PlacedOrder:
    """The build to wall is booked, and civils precede it."""
    order = with_survey(seller, 7)
    close(seller, order, SURVEYS[0])
    order.act("physical-survey", cost_pence=110_000, needs_civils=True)
    book(seller, order, "orderExternal", element("complexOrderAnswer", "<acceptCost/>"))
    return order


def _milestones(order: PlacedOrder) -> list[Any]:
    return order.members("complexMilestone")["complex_order"]["milestones"]


@situation
def closures_of_a_survey(seller: Seller) -> None:
    """EXT codes: the next milestone, the end, or a person decides."""
    for row in SURVEYS:
        order = with_survey(seller)
        close(seller, order, row)
        if row.notification == "complexMilestone":
            assert _milestones(order)[-1] == "Physical Survey Completed"


@situation
def pets_at_a_survey_are_delay_220(seller: Seller) -> None:
    """Other codes, 220."""
    pets = Closure("EXTHAZ", "acknowledged", "delay", "220")
    close(seller, with_survey(seller), pets, secondary="EXTHAZ02", description="Pet Behaviour")


@situation
def closures_of_civils(seller: Seller) -> None:
    """CIV codes: the build to wall follows, the end, or a person decides."""
    for row in CIVILS:
        order = with_civils(seller)
        close(seller, order, row)
        if row.notification == "complexMilestone":
            assert _milestones(order)[-1] == "Civils Completed"
            assert order.report["visits"][-1]["purpose"] == "orderExternal"
