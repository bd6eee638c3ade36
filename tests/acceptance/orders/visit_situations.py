"""Situations in which the partner's visits decide: late provision, complex courses, an ONT swap."""

from datetime import date, timedelta

from tests.acceptance.orders.parties import A_DAY, PlacedOrder, Seller
from tests.acceptance.orders.situations import COMPLEX, LOCAL_1000, situation
from tests.acceptance.orders.wire import element


def appointed(seller: Seller, situation_number: int = 1, **options: str) -> PlacedOrder:
    """A committed order with an engineer's visit."""
    uprn, buyer = seller.unused_uprn(situation_number), seller.buyer()
    order = buyer.install(uprn, buyer.reserve(uprn, **options), **options)
    assert order.state == "committed", order.kinds
    return order


def book(seller: Seller, order: PlacedOrder, kind: str, answer: str = "") -> None:
    """The buyer's key for the next stage of a complex order, not before the day that the seller has named."""
    progress = order.members("complexMilestone")["complex_order"]
    bound = progress["earliest_survey_date" if kind == "orderSurvey" else "earliest_appointment_date"]
    uprn = order.report["uprn"]
    key = seller.buyer().reserve(uprn, product=COMPLEX, kind=kind, first=date.fromisoformat(bound))
    seller.buyer().amend(order, key + element("appointmentType", f"<{kind}/>") + answer)


@situation
def late_provision_with_an_exclusion(seller: Seller) -> None:
    """Late Provision: sent from the 15th day after KCI3, its day counts add up, the exclusion's days are other days."""
    order = appointed(seller)
    partner, buyer = seller.partner(), seller.buyer()
    partner.visit(order, "FTA")
    missed_on = seller.today()
    order.act("exclusion", code="RC010", starts_on=missed_on.isoformat(), ends_on=missed_on.isoformat())
    buyer.amend(order, buyer.reserve(order.report["uprn"], first=missed_on + timedelta(days=3)))
    partner.visit(order, "SP", installs=True)
    assert order.state == "completed"
    seller.move(22 * A_DAY)
    late = order.members("lateProvision")["late_provision"]
    assert late["total_days"] == late["seller_days"] + late["other_days"]
    assert any("RC010" in entry.values() for entry in late["exclusions"]), late


@situation
def ont_is_swapped_for_a_faster_product(seller: Seller) -> None:
    """Endpoints 3: an ONT that does not support the product needs an engineer, and without a key it is rejected."""
    uprn, buyer, partner = seller.unused_uprn(11), seller.buyer(), seller.partner()
    before = seller.control.get(f"network/{uprn}")["ont"]["fsan"]
    assert buyer.install(uprn, product=LOCAL_1000).state == "rejected"
    order = buyer.install(uprn, buyer.reserve(uprn, product=LOCAL_1000), product=LOCAL_1000)
    job = partner.attend(order)
    partner.install_ont(job)
    partner.close(job, "SP")
    assert order.state == "completed"
    assert seller.control.get(f"network/{uprn}")["ont"]["fsan"] != before


@situation
def complex_order_to_the_end(seller: Seller) -> None:
    """Complex orders: surveys, cost, build to wall, standard install, each milestone after the other."""
    partner = seller.partner()
    order = seller.buyer().install(seller.unused_uprn(6), product=COMPLEX)
    order.act("desktop-survey", estimate_pence=120_000)
    book(seller, order, "orderSurvey", element("complexOrderAnswer", "<acceptEstimate/>"))
    partner.visit(order, "EXTCOMP")
    order.act("physical-survey", cost_pence=110_000)
    book(seller, order, "orderExternal", element("complexOrderAnswer", "<acceptCost/>"))
    partner.visit(order, "EXTCOMP")
    book(seller, order, "orderInternal")
    assert order.state == "committed", order.kinds
    partner.visit(order, "SP", installs=True)
    assert order.state == "completed"


# --- cancellations --------------------------------------------------------------------------------------------
@situation
def cancellation_waits_for_the_partner(seller: Seller) -> None:
    """Events, Cancellation status: Pending at once, Accepted when the partner has cancelled the visit."""
    order = appointed(seller)
    seller.partner().accepted_job(order)
    assert seller.buyer().cancel(order).text("status") == "Pending"
    seller.partner().accepted_job(order)
    assert order.kinds[-2:] == ["cancellationPending", "cancellationAccepted"]
    assert (order.state, order.members("cancellationAccepted")["reason"]["code"]) == ("cancelled", "300")


@situation
def cancellation_comes_too_late(seller: Seller) -> None:
    """States, early stages: the engineer is on site, so it is rejected and the order goes on."""
    order = appointed(seller)
    job = seller.partner().attend(order)
    seller.buyer().cancel(order)
    assert order.kinds[-2:] == ["cancellationPending", "cancellationRejected"]
    assert order.members("cancellationRejected")["reason"]["code"] == "560"
    seller.partner().install_ont(job)
    seller.partner().close(job, "SP")
    assert order.state == "completed"


# --- cases ----------------------------------------------------------------------------------------------------
@situation
def case_with_comments(seller: Seller) -> None:
    """Events, Case comments: each of the seller's is notified, the buyer's own reply is not sent back."""
    order = appointed(seller)
    order.act("open-case", text="Is there a dog?")
    assert order.members("caseComment")["case"]["text"] == "Is there a dog?"
    case = order.report["cases"][0]["reference"]
    reply = element("caseReply", element("caseReference", case) + element("comment", "Yes"))
    seller.buyer().amend(order, reply)
    order.act("comment-case", case=case, text="A big one?")
    order.act("close-case", case=case, text="Thank you")
    sent = [row["members"]["case"] for row in order.report["notifications"] if row["kind"] == "caseComment"]
    assert [(row["text"], row["is_open"]) for row in sent] == [
        ("Is there a dog?", True),
        ("A big one?", True),
        ("Thank you", False),
    ]
