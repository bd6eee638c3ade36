"""Every rejection code of docs/order-messages.md over mutual TLS: SOAP from the buyer, and what its callback receives.

order-provisioning.md, Errors, Amendment rules, Regrade product pairs, Switch and WLTO rules, Limits; D5, D14, D15.
"""

from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.network import business_days, services
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import limits, reasons, seller_actions
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.wire.requests import (
    AmendOrderRequest,
    AppointmentsQuery,
    ParsedRequest,
    ReserveAppointmentRequest,
    ServiceConfiguration,
)
from seller_sandbox.tests.buyer_stub_process import Stub
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.order_wire import (
    Wire,
    amendment,
    cancellation,
    expected,
    reason_in,
    status_of,
)
from seller_sandbox.tests.orders.samples import uprn
from seller_sandbox.tests.partner import Partner, refuse

pytestmark = pytest.mark.django_db(transaction=True)

SURVEY, EXTERNAL = AppointmentType.SURVEY, AppointmentType.EXTERNAL
REMOTE = "Residential FTTH Remote Activation 160 Mbps"
CEASE = {"kind": "alaCease", "uprn": "", "product_name": ""}
MODIFY = {**CEASE, "kind": "alaModify"}
# what an order alone can cause, as samples.request takes it; requested_date is a number of days from today
ORDERS: dict[str, dict[str, Any]] = {
    "501": {"reference": ""},
    "503": {"reference": "x" * 37},
    "504": {"uprn": "10001A"},
    "505": {"uprn": "999999999999"},
    "506": {"product_name": samples.NOT_FTTH},
    "507": {"who": "BUYERB", "uprn": uprn(4), "product_name": samples.BUSINESS},
    "508": {"product_name": samples.BUSINESS},
    "509": {"uprn": uprn(20)},
    "510": {"uprn": uprn(20), "product_name": REMOTE},
    "511": {"project_reference": "PRJ-ENDED"},
    "512": {"auxiliary_services": ("TEA",)},
    "513": {"auxiliary_services": ("BUSINESS-CARE",)},
    "514": {"who": "BUYERB", "product_name": samples.LOCAL_1000, "auxiliary_services": ("MULTICAST",)},
    "515": {"configuration": ServiceConfiguration(s_vlan="4095")},
    "516": {"configuration": ServiceConfiguration(nni_identifier="ENNI-B1")},
    "517": {"configuration": ServiceConfiguration(line_profile="LP-NONE")},
    "518": {"uprn": uprn(42)},
    "519": {"uprn": uprn(40)},
    "523": {"reservation_key": "no key"},
    "524": {"uprn": uprn(11), "product_name": samples.LOCAL_1000},
    "525": {"uprn": uprn(10), "requested_date": 0},
    "526": {"requested_date": -1},
    "527": {"new_order_type": "Switch"},
    "528": {"uprn": uprn(24)},
    "529": {"uprn": uprn(20), "product_name": samples.LOCAL_1000, "new_order_type": "Switch"},
    "530": {**CEASE, "service_identifier": "FBR000000000"},
    "538": {"configuration": ServiceConfiguration(agent_remote_id="x" * 65)},
}


@pytest.fixture
def wire(folder: Path, endpoint_port: int, stub: Stub, partner: Partner) -> Wire:
    return Wire(folder, endpoint_port, stub, partner)


# --- orders ---------------------------------------------------------------------------------------------------
def test_order_is_rejected_with_the_reason_of_its_row(wire: Wire) -> None:
    """Errors, Endpoints 5, Limits: all at once, since none of them leaves anything behind."""
    sent = {code: wire.order(**_dated(members)).seller_order_reference for code, members in ORDERS.items()}

    received = wire.last_rejections()

    assert {code: received[reference] for code, reference in sent.items()} == {
        code: expected(code, "rejected") for code in ORDERS
    }


def _dated(members: dict[str, Any]) -> dict[str, Any]:
    if "requested_date" not in members:
        return members
    return {**members, "requested_date": samples.days_ahead(members["requested_date"])}


def _same_reference(wire: Wire) -> Order:
    wire.order(reference="ORDER-1")
    return wire.order(reference="ORDER-1", uprn=uprn(2))


def _key(wire: Wire, *, at: str = uprn(1), product: str = samples.LOCAL_160, **members: Any) -> Order:
    """An order for premises 1 (or those named) with a key of these premises and this product."""
    key = samples.reserve(at=at, product=product).key
    return wire.order(reservation_key=str(key), **members)


def _key_of_another_order(wire: Wire) -> Order:
    return wire.order(reservation_key=str(samples.appointed().appointment.key))


def _key_of_another_stage(wire: Wire) -> Order:
    key = complex_samples.key(EXTERNAL)
    return wire.order(uprn=complex_samples.UPRN, product_name=samples.COMPLEX, reservation_key=key)


def _live(situation: int) -> str:
    return services.find_live(samples.locations.find(uprn(situation))).service_identifier


def _second_cease(wire: Wire) -> Order:
    wanted = {**CEASE, "service_identifier": _live(20)}
    samples.placed(requested_date=samples.days_ahead(40), **wanted)
    return wire.order(**wanted)


def _empty_modify(wire: Wire) -> Order:
    return wire.order(**MODIFY, service_identifier=_live(20))


def _takeover(kind: str) -> Order:
    """BUYERA takes the line of BUYERB; committed, and so is the cease."""
    wanted = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": kind}
    order = samples.placed(**wanted)
    return samples.after(order, seconds=samples.A_MINUTE)


def _line_taken(wire: Wire) -> Order:
    _takeover("Switch")
    wanted = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": "Switch"}
    return wire.order(who="BUYERC", **wanted)


# --- amendments and cancellations -----------------------------------------------------------------------------
def _waiting(wire: Wire, *, situation: int = 1, **changes: Any) -> Order:
    """A new install that waits for an appointment (at premises 1), or for its date, is amended."""
    return wire.amend(samples.placed(uprn=uprn(situation)), **changes)


def _to_yesterday(wire: Wire) -> Order:
    return _waiting(wire, situation=10, requested_date=samples.days_ahead(-1).isoformat())


def _expired_key(wire: Wire) -> Order:
    order, key = samples.placed(), samples.reserve().key
    samples.clock.move(seconds=2 * samples.A_DAY)
    return wire.amend(order, reservation_key=str(key))


def _after_no_return(wire: Wire) -> Order:
    order = _takeover("WLTO")
    order = samples.until(order, limits.no_return(order.requested_date))
    day = business_days.add_business_days(samples.clock.today(), 20)
    return wire.amend(order, requested_date=day.isoformat())


def _not_after_the_cease(wire: Wire) -> Order:
    order = _takeover("WLTO")
    day = business_days.add_business_days(samples.clock.today(), 20).isoformat()
    samples.amend(order.linked_ceases.get(), requested_date=day)
    return wire.amend(samples.fresh(order), requested_date=day)


def _closed_case(wire: Wire) -> Order:
    order = samples.appointed(situation=50)
    case = order.cases.get().reference
    seller_actions.close_case(**samples.ref(order), case=case)
    return wire.amend(order, case_reference=case, case_comment="No shared drive")


def _of_rejected_order(wire: Wire) -> Order:
    return wire.amend(samples.pending(uprn=uprn(42)), site={"hazards": "None"})


def _too_early(wire: Wire) -> Order:
    order = complex_samples.estimated(estimate_pence=1, earliest_survey_date=samples.days_ahead(20))
    return wire.amend(order, complex_answer="acceptEstimate", reservation_key=complex_samples.key(SURVEY))


def _cost_first(wire: Wire) -> Order:
    order = complex_samples.priced()
    # its survey was closed without the partner
    OutboundMessage.objects.filter(thread__kind="job").update(state=OutboundState.DELIVERED)
    return wire.amend(order, reservation_key=complex_samples.key_for(order, EXTERNAL))


def _survey_on_a_sunday(wire: Wire) -> Order:
    order, day = complex_samples.estimated(), samples.days_ahead(20)
    sunday = day + timedelta(days=6 - day.weekday())
    return wire.amend(order, survey_date=sunday.isoformat())


def _with_job(wire: Wire, *, state: JobState | None = None, refusal: bool = False) -> Order:
    """Committed, its job accepted by the partner, who says this of the engineer, or refuses the next message."""
    order = samples.appointed()
    wire.deliver()
    if state:
        Job.objects.filter(order_visit__order=order).update(state=state)
    if refusal:
        wire.partner.script[:] = [refuse(422, "invalidMessage")]
    return samples.fresh(order)


def _move(wire: Wire, order: Order) -> Order:
    return wire.amend(order, reservation_key=str(samples.reserve(number=4).key))


PREPARED: dict[str, tuple[str, Callable[[Wire], Order]]] = {
    "502": ("rejected", _same_reference),
    "520": ("rejected", lambda wire: _key(wire, at=uprn(2))),
    "521": ("rejected", lambda wire: _key(wire, product=samples.LOCAL_1000)),
    "531": ("rejected", _second_cease),
    "532": ("rejected", _empty_modify),
    "534": ("rejected", lambda wire: _key(wire, at=uprn(10), uprn=uprn(10))),
    "535": ("rejected", _key_of_another_order),
    "536": ("rejected", _key_of_another_stage),
    "537": ("rejected", _line_taken),
    "522": ("amendmentRejected", _expired_key),
    "526": ("amendRequestedDateRejected", _to_yesterday),
    "540": ("amendmentRejected", lambda wire: _waiting(wire, product_name=samples.LOCAL_1000)),
    "541": ("amendRequestedDateRejected", _after_no_return),
    "542": ("amendmentRejected", _closed_case),
    "543": ("amendmentRejected", lambda wire: _waiting(wire, case_reference="none", case_comment="Hello")),
    "544": ("amendmentRejected", lambda wire: _waiting(wire, requested_date="2090-01-02")),
    "545": ("amendRequestedDateRejected", _not_after_the_cease),
    "547": ("amendmentRejected", _of_rejected_order),
    "548": ("amendmentRejected", lambda wire: _waiting(wire, complex_answer="acceptEstimate")),
    "549": ("amendmentRejected", _too_early),
    "550": ("amendmentRejected", lambda wire: _move(wire, _with_job(wire, state=JobState.ON_SITE))),
    "552": ("amendmentRejected", _cost_first),
    "553": ("amendmentRejected", _survey_on_a_sunday),
    "554": ("amendmentRejected", lambda wire: _move(wire, _with_job(wire, refusal=True))),
    "560": ("cancellationRejected", lambda wire: wire.cancel(_with_job(wire, state=JobState.ON_SITE))),
    "562": ("cancellationRejected", lambda wire: wire.cancel(_with_job(wire, refusal=True))),
}


def test_appointment_after_the_point_of_no_return_is_rejected_by_a_kind_of_its_own(wire: Wire) -> None:
    """Switch and WLTO rules 5: a managed install."""
    line = {"at": uprn(24), "product": samples.NATIONAL_160}
    wanted = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": "Switch"}
    order = wire.order(
        **wanted, is_engineer_install=True, reservation_key=str(samples.reserve(**line, number=4).key)
    )
    wire.deliver()
    order = samples.fresh(order)
    assert order.state == "committed"
    order = samples.until(order, limits.no_return(limits.local_day(order.appointment.starts_at)))
    another = samples.reserve(**line, not_before=samples.days_ahead(20))

    wire.amend(order, reservation_key=str(another.key))

    rejection = wire.last_rejections()[order.seller_order_reference]
    assert rejection == expected("541", "amendAppointmentDateRejected")


@pytest.mark.parametrize("code", PREPARED)
def test_rejection_that_needs_something_before_it(wire: Wire, code: str) -> None:
    """Errors, Amendment rules, Switch and WLTO rules 3 to 5, complexOrder; D14."""
    kind, provoke = PREPARED[code]

    order = provoke(wire)

    assert wire.last_rejections()[order.seller_order_reference] == expected(code, kind)


# --- answers that say no at once ------------------------------------------------------------------------------
UP_FRONT: dict[str, Callable[[], ParsedRequest]] = {
    "546": lambda: AmendOrderRequest(samples.header(), "SO-NONE", {"site": {"hazards": "None"}}),
    "547": lambda: cancellation(samples.cancel(samples.placed())),
    "551": lambda: amendment(samples.placed()),
    "561": lambda: cancellation(_takeover("Switch").linked_ceases.get(), "9190"),
    "563": lambda: cancellation(_takeover("Switch"), "9190"),
}


@pytest.mark.parametrize("code", UP_FRONT)
def test_answer_is_rejected_up_front_and_no_notification_follows(wire: Wire, code: str) -> None:
    """D5, D15."""
    message = UP_FRONT[code]()
    before = OutboundMessage.objects.count()

    answer = wire.send(message)

    assert (status_of(answer), *reason_in(answer.body)) == expected(code, "Rejected")
    assert OutboundMessage.objects.count() == before


# --- appointments that are not possible -----------------------------------------------------------------------
IMPOSSIBLE: tuple[tuple[dict[str, str], str], ...] = (
    ({"uprn": "999999999999"}, "There are no premises with the UPRN 999999999999."),
    ({"product_name": "Copper"}, "There is no product Copper."),
    ({"uprn": uprn(40)}, f"The premises {uprn(40)} cannot be ordered."),
    (
        {"who": "BUYERB", "uprn": uprn(4), "product_name": samples.BUSINESS},
        f"The product {samples.BUSINESS} is not permitted for this account.",
    ),
    ({"product_name": samples.BUSINESS}, f"The product {samples.BUSINESS} is not available at {uprn(1)}."),
    (
        {"uprn": uprn(10), "product_name": REMOTE},
        f"The product {REMOTE} is activated without an appointment.",
    ),
    (
        {"uprn": uprn(6), "product_name": samples.COMPLEX, "appointment_type": "install"},
        f"The product {samples.COMPLEX} needs the appointment type orderSurvey, orderExternal or orderInternal.",
    ),
    (
        {"appointment_type": "orderSurvey"},
        f"The product {samples.LOCAL_160} needs the appointment type install.",
    ),
)


def _both(members: dict[str, str], day: date) -> Iterator[ParsedRequest]:
    wanted = {"uprn": uprn(1), "product_name": samples.LOCAL_160, **members}
    who = wanted.pop("who", "BUYERA")
    yield AppointmentsQuery(samples.header(who), **wanted)
    yield ReserveAppointmentRequest(
        samples.header(who), slot_date=day, slot_start=time(8), slot_end=time(13), **wanted
    )


def test_appointment_that_is_not_possible_has_its_reason(wire: Wire) -> None:
    """Errors, Appointment not possible: both operations, each reason."""
    day = business_days.add_business_days(samples.clock.today(), 2)
    for members, text in IMPOSSIBLE:
        for message in _both(members, day):
            answer = wire.send(message)
            assert (status_of(answer), *reason_in(answer.body)) == ("Rejected", "600", text)
    none_free = [reason_in(wire.send(message).body) for message in _both({"uprn": uprn(60)}, day)]
    assert [code for code, _ in none_free] == ["600", "600"]
    assert none_free[0][1].startswith("No appointment is free from ")
    assert none_free[1][1].endswith(" is not free. Query the available slots and choose another.")


def test_every_rejection_code_is_here() -> None:
    codes = {code for code in reasons.by_code() if 501 <= int(code) <= 563}

    assert {*ORDERS, *PREPARED, *UP_FRONT} == codes
