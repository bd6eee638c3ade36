"""Situations of order-provisioning.md, one function each; the docstring names the section."""

from collections.abc import Callable
from datetime import date, timedelta

from tests.acceptance.orders.parties import A_DAY, PlacedOrder, Seller, next_working_day
from tests.acceptance.orders.wire import element, envelope

LOCAL_1000 = "Residential FTTH Local Access 1 Gbps"
NATIONAL_160 = "Residential FTTH National Access 160 Mbps"
COMPLEX = "Complex FTTH National Access 1 Gbps"
NEW = ["pending", "acknowledged", "committed", "enniReserved"]
Situation = Callable[[Seller], None]
SITUATIONS: dict[str, Situation] = {}


def situation(function: Situation) -> Situation:
    SITUATIONS[function.__name__] = function
    return function


# --- new installs -----------------------------------------------------------------------------------------
@situation
def plain_install(seller: Seller) -> None:
    """States: from order to KCI3 by the partner's visit."""
    uprn, partner = seller.unused_uprn(1), seller.partner()
    order = seller.buyer().install(uprn, seller.buyer().reserve(uprn))
    assert order.kinds == NEW
    job = partner.attend(order)
    partner.install_ont(job)
    partner.close(job, "SP")
    assert (order.state, order.kinds) == ("completed", [*NEW, "completed"])
    assert seller.control.get(f"network/{uprn}")["service"]["buyer"] == "BUYERA"


@situation
def no_success_without_provisioning(seller: Seller) -> None:
    """States, completion: SP without a successful result gives no KCI3."""
    uprn, partner = seller.unused_uprn(1), seller.partner()
    order = seller.buyer().install(uprn, seller.buyer().reserve(uprn))
    partner.close(partner.attend(order), "SP")
    assert (order.state, order.members("delay")["delay"]["code"]) == ("committed", "234")


@situation
def appointment_missed_by_the_seller(seller: Seller) -> None:
    """Missed Appointment rules 6 and 7."""
    uprn, partner = seller.unused_uprn(1), seller.partner()
    order = seller.buyer().install(uprn, seller.buyer().reserve(uprn))
    partner.close(partner.attend(order), "FTA")
    seller.move(10 * A_DAY)
    assert order.members("missedAppointment")["missed_appointment"]["is_seller_missed"]
    assert order.report["is_compensation_due"]


@situation
def no_appointment_times_out(seller: Seller) -> None:
    """Limits: 30 days."""
    order = seller.buyer().install(seller.unused_uprn(1))
    assert order.kinds == ["pending", "acknowledged", "delay"]
    seller.move(31 * A_DAY)
    assert (order.state, order.kinds[-1]) == ("cancelled", "cancelled")


@situation
def appointment_added_by_amendment(seller: Seller) -> None:
    """Amendment rules 4."""
    uprn, buyer = seller.unused_uprn(1), seller.buyer()
    order = buyer.install(uprn)
    answer = buyer.amend(order, buyer.reserve(uprn))
    assert answer.text("status") == "Pending"
    assert order.kinds[3:] == ["amendmentPending", "amendmentAccepted", "committed", "enniReserved"]


@situation
def seller_cancels(seller: Seller) -> None:
    """States, seller cancel."""
    order = seller.buyer().install(seller.unused_uprn(1))
    order.act("cancel", message="The road has gone")
    assert (order.state, order.kinds[-1]) == ("cancelled", "cancelled")
    order.act("cancel", status=409)


@situation
def pre_order(seller: Seller) -> None:
    """States, pre-order: KCI2 carries 210."""
    uprn = seller.unused_uprn(34)
    order = seller.buyer().install(uprn, seller.buyer().reserve(uprn))
    assert order.members("committed")["delay"]["code"] == "210"


@situation
def cabinet_slip(seller: Seller) -> None:
    """States, cabinet slip: appointed again after the new live date."""
    uprn = seller.unused_uprn(1)
    order = seller.buyer().install(uprn, seller.buyer().reserve(uprn))
    seller.partner().accepted_job(order)
    day = seller.today() + timedelta(days=20)
    slipped = seller.control.post(f"network/{uprn}/release", {"release_on": day.isoformat()})["slipped"]
    assert slipped == [order.reference]
    assert order.kinds[-1] == "cabinetSlip"
    seller.partner().accepted_job(order)
    seller.move_to(day + timedelta(days=2))
    assert order.kinds[-1] == "committed"
    assert order.report["appointment"]["starts_at"][:10] > day.isoformat()


@situation
def extended_install_with_a_case(seller: Seller) -> None:
    """Errors, Extended Install; Amendment rules 8."""
    uprn, buyer = seller.unused_uprn(50), seller.buyer()
    order = buyer.install(uprn, buyer.reserve(uprn))
    assert order.members("committed")["delay"]["code"] == "203"
    case = order.report["cases"][0]["reference"]
    reply = element("caseReply", element("caseReference", case) + element("comment", "No shared drive"))
    buyer.amend(order, reply)
    assert order.report["cases"][0]["comments"][0]["text"] == "No shared drive"
    order.act("close-case", case=case)
    buyer.amend(order, reply)
    assert order.kinds[-1] == "amendmentRejected"


# --- validation -------------------------------------------------------------------------------------------
@situation
def orders_that_are_rejected(seller: Seller) -> None:
    """Errors, the rows that an order alone can cause."""
    buyer, uprn = seller.buyer(), seller.unused_uprn(1)
    rows = [
        ("501", uprn, "", {"reference": ""}),
        ("503", uprn, "", {"reference": "x" * 37}),
        ("504", "none", "", {}),
        ("506", uprn, "", {"product": "Ethernet Leased Line 1 Gbps"}),
        ("511", uprn, element("ext:projectReference", "PRJ-ENDED"), {}),
        ("512", uprn, element("auxiliaryServices", element("auxiliaryService", "NOTHING")), {}),
        ("515", uprn, element("serviceConfiguration", element("nniSVlanId", "5000")), {}),
        ("518", seller.unused_uprn(42), "", {}),
        ("519", seller.unused_uprn(40), "", {}),
        ("523", uprn, element("appointmentReservationKey", "none"), {}),
        ("528", seller.unused_uprn(24), "", {"product": NATIONAL_160}),
    ]
    for code, where, content, options in rows:
        order = buyer.install(where, content, **options)
        assert order.kinds == ["pending", "rejected"], (code, order.kinds)
        found = order.report["events"][-1]["details"]["reasons"]
        assert code in {reason["code"] for reason in found}, (code, found)


@situation
def reference_is_unique_per_buyer(seller: Seller) -> None:
    """Errors, Buyer order reference missing or duplicate."""
    uprn, reference = seller.unused_uprn(1), f"REF-{seller.control.get('clock')['now'][:26]}"
    first = seller.buyer().install(uprn, reference=reference)
    second = seller.buyer().order(element("alaNewInstall", element("addressKey", uprn)), reference=reference)
    assert (first.state, second.state) == ("acknowledged", "rejected")


@situation
def message_sent_twice_has_one_effect(seller: Seller) -> None:
    """Order-decisions D2: same messageId with the same body gets the stored answer."""
    buyer, uprn = seller.buyer(), seller.unused_uprn(1)
    content = envelope(
        "orderRequest", element("alaNewInstall", element("addressKey", uprn)), buyer=buyer.identifier
    )
    answers = [buyer.caller.post_xml("order", content) for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(seller.orders_of(uprn=uprn)) == 1
    seller.move()


@situation
def broken_messages_get_a_fault(seller: Seller) -> None:
    """Order-decisions D3."""
    caller = seller.buyer().caller
    for content in (b"", b"<order>", b"<!DOCTYPE x><x/>", envelope("nonsense", "", buyer="BUYERA")):
        answer = caller.post_xml("order", content)
        assert (answer.status, answer.has("Fault")) == (400, True), content
    assert caller.post("order", b"{}", media_type="application/json").status == 415


# --- orders without an engineer ---------------------------------------------------------------------------
def _activated(seller: Seller) -> tuple[PlacedOrder, date]:
    """An order without an engineer, and its date."""
    day = next_working_day(seller.today(), 2)
    wanted = element("requestedDate", day.isoformat())
    return seller.buyer().install(seller.unused_uprn(10), wanted), day


@situation
def activation_that_fails_first(seller: Seller) -> None:
    """Endpoints 3; States, completion."""
    order, day = _activated(seller)
    order.act("activation", succeeded=False)
    seller.move_to(day + timedelta(days=1))
    assert (order.state, order.kinds[-1]) == ("committed", "delay")
    order.act("activation", succeeded=True)
    seller.move()
    assert order.state == "completed"


@situation
def completion_with_a_warning(seller: Seller) -> None:
    """States, completion: Warning included when there is no CPE or the speed check failed."""
    order, day = _activated(seller)
    order.act("warning", code="591")
    seller.move_to(day + timedelta(days=1))
    assert order.members("completed")["warning"]["code"] == "591"


@situation
def regrade_at_midnight(seller: Seller) -> None:
    """Regrade rules 2 to 5."""
    buyer, uprn = seller.buyer(), seller.unused_uprn(20)
    order = buyer.install(uprn, product=LOCAL_1000)
    assert order.kinds == ["pending", "acknowledged", "delay"]
    day = seller.today() + timedelta(days=2)
    buyer.amend(order, element("requestedDate", day.isoformat()))
    seller.move_to(day + timedelta(days=1))
    assert order.state == "completed"
    assert seller.control.get(f"network/{uprn}")["service"]["productName"] == LOCAL_1000


@situation
def switch_from_another_provider(seller: Seller) -> None:
    """Switch and WLTO rules 1."""
    uprn = seller.unused_uprn(24)
    day = next_working_day(seller.today(), 3)
    wanted = element("newOrderType", "Switch") + element("requestedDate", day.isoformat())
    order = seller.buyer().install(uprn, wanted, product=NATIONAL_160)
    (cease,) = seller.orders_of(uprn=uprn, buyer="BUYERB")
    assert cease.kinds[0] == "unsolicitedCeaseRequest"
    seller.move_to(day + timedelta(days=1))
    assert (order.state, cease.state) == ("completed", "completed")
    assert seller.control.get(f"network/{uprn}")["service"]["buyer"] == "BUYERA"


@situation
def cancelled_switch_cancels_its_cease(seller: Seller) -> None:
    """Switch and WLTO rules 2."""
    uprn, buyer = seller.unused_uprn(24), seller.buyer()
    day = next_working_day(seller.today(), 3)
    wanted = element("newOrderType", "Switch") + element("requestedDate", day.isoformat())
    order = buyer.install(uprn, wanted, product=NATIONAL_160)
    buyer.cancel(order)
    (cease,) = seller.orders_of(uprn=uprn, buyer="BUYERB")
    assert (order.state, cease.state) == ("cancelled", "cancelled")


@situation
def cease_at_once_with_notice_charge(seller: Seller) -> None:
    """Order, requestedDate; Limits, Cease notice."""
    service = seller.control.get(f"network/{seller.unused_uprn(21)}")["service"]["serviceIdentifier"]
    cease = seller.buyer().order(
        element("alaCease", element("serviceIdentifier", service)), path="ceaseOrder"
    )
    assert (cease.state, cease.report["notice_charge_days"]) == ("completed", 30)
    assert cease.kinds == ["pending", "acknowledged", "committed", "completed"]


@situation
def modify_of_a_line_profile(seller: Seller) -> None:
    """States, modify; Events: later notifications carry the new value."""
    service = seller.control.get(f"network/{seller.unused_uprn(22)}")["service"]["serviceIdentifier"]
    profile = element("serviceConfiguration", element("ext:lineProfile", "160-VLAN911"))
    modify = element("alaModify", element("serviceIdentifier", service) + profile)
    order = seller.buyer().order(modify, path="orderModify")
    assert order.kinds == ["pending", "completed"]
    assert order.members("completed")["configuration"]["line_profile"] == "160-VLAN911"


@situation
def complex_order_with_estimate_rejected(seller: Seller) -> None:
    """Complex-order rules 1."""
    buyer = seller.buyer()
    order = buyer.install(seller.unused_uprn(6), product=COMPLEX)
    order.act("desktop-survey", estimate_pence=120_000)
    assert order.kinds[-1] == "complexMilestone"
    buyer.amend(order, element("complexOrderAnswer", "<rejectEstimate/>"))
    assert order.state == "cancelled"
