"""What the partner's refusal of a cancelJob means for the order (job-messages.md, cancelJob, Refusals; D14)."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from seller_sandbox.jobs.channel import CLOSURE_WAIT
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import worker
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import limits, network_actions, seller_actions, visits
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.visit_samples import job_of
from seller_sandbox.tests.partner import Partner, refuse

pytestmark = pytest.mark.usefixtures("network", "buyers_without_address")


@pytest.fixture
def buyers_without_address(network: None) -> None:
    """Their notifications wait: these tests are about the partner."""
    Buyer.objects.update(callback_urls=[])


@pytest.fixture
def order(partner: Partner) -> Order:
    """With a job that the partner has accepted."""
    found = samples.appointed()
    send()
    return samples.fresh(found)


def send() -> None:
    """What waits for the partner goes out."""
    for _ in range(20):
        worker.work_once()


def asked(order: Order, ask: Callable[[Order], Order], partner: Partner, *answer: object) -> Order:
    """The order after its buyer has asked for something, and the partner has answered the cancelJob so."""
    order = ask(order)
    partner.script[:] = [refuse(*answer)]
    send()
    return samples.fresh(order)


def move(order: Order) -> Order:
    return samples.amend(order, reservation_key=str(samples.reserve(number=4).key))


def test_job_that_the_partner_does_not_know_needs_no_cancellation(order: Order, partner: Partner) -> None:
    """404 jobNotFound; D14: nobody is on site, so the order is cancelled."""
    order = asked(order, samples.cancel, partner, 404, "jobNotFound")

    assert (order.state, samples.kinds(order)[-1]) == ("cancelled", "cancellationAccepted")


def test_amendment_of_a_job_that_the_partner_does_not_know_gets_a_new_pack(
    order: Order, partner: Partner
) -> None:
    """404 jobNotFound; Amendment rules 4."""
    order = asked(order, move, partner, 404, "jobNotFound")

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.count() == 2


@pytest.mark.parametrize(("code", "kind"), [("SP", "cancellationRejected"), ("FTA", "cancellationAccepted")])
def test_cancellation_waits_for_the_closure_of_a_job_that_is_closed(
    order: Order, partner: Partner, code: str, kind: str
) -> None:
    """409 jobClosed; D14: what the closeJob says decides, and not that somebody were on site."""
    order = samples.until(order, order.appointment.starts_at)
    order = asked(order, samples.cancel, partner, 409, "jobClosed")
    assert samples.kinds(order)[-1] == "cancellationPending"

    visit_samples.provisioned(job_of(order))
    order = samples.after(visit_samples.close(order, code), seconds=1)

    assert samples.kinds(order)[-1] == kind
    assert "560" not in str(samples.last_members(order).get("reason"))


def test_closure_that_never_comes_does_not_hold_the_cancellation_for_ever(
    order: Order, partner: Partner
) -> None:
    """409 jobClosed without a closeJob: after a day the job counts as cancelled."""
    order = asked(order, samples.cancel, partner, 409, "jobClosed")

    order = samples.after(order, seconds=int((CLOSURE_WAIT + timedelta(minutes=1)).total_seconds()))

    assert order.state == "cancelled"
    assert Job.objects.get().state == "cancelled"


def test_engineer_on_site_rejects_the_cancellation(order: Order, partner: Partner) -> None:
    """409 installationStarted; D14."""
    order = asked(order, samples.cancel, partner, 409, "installationStarted")

    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == "560"


@pytest.mark.parametrize(
    ("ask", "kind", "code"),
    [(samples.cancel, "cancellationRejected", "562"), (move, "amendmentRejected", "554")],
)
def test_other_refusal_rejects_without_claiming_an_engineer(
    order: Order, partner: Partner, ask: Callable[[Order], Order], kind: str, code: str
) -> None:
    """order-decisions.md, checklist: the order stays in its state, and what is said is true."""
    order = asked(order, ask, partner, 422, "invalidMessage")

    assert samples.members_of(order, kind)["reason"]["code"] == code
    assert order.state == "committed"


def test_new_appointment_of_the_seller_is_given_back_when_the_engineer_was_faster(
    order: Order, partner: Partner
) -> None:
    """409 installationStarted after the seller has reappointed: the visit goes on in its own appointment."""
    first = order.appointment
    seller_actions.reappoint(**samples.ref(order))
    partner.script[:] = [refuse(409, "installationStarted")]
    send()

    order = samples.fresh(order)
    assert order.appointment == first
    assert samples.last_members(order)["appointment"]["key"] == str(first.key)
    assert visit_samples.used_slots(order) == 1


# --- the visit stands, and nobody says that an engineer is there ------------------------------------------------
def test_slot_that_ended_before_a_cancel_failed_is_missed(order: Order, partner: Partner) -> None:
    """Missed Appointment 6; Limits: the order is delayed, and its buyer has 30 days for a new key."""
    order = samples.cancel(samples.until(order, order.appointment.starts_at))
    order = samples.until(order, order.appointment.ends_at)

    order = asked(order, samples.fresh, partner, 422, "invalidMessage")
    order = samples.after(order, seconds=1)

    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == "562"
    assert (order.delay_code, order.appointment) == ("239", None)
    assert "orders.time_out" in visit_samples.due_names(order)


def test_slot_of_a_build_that_ended_before_a_cancel_failed_is_missed(partner: Partner) -> None:
    """The same for civils, which have no slot of their own."""
    order = visit_samples.complex_visit(VisitPurpose.CIVILS)
    order.visits.update(appointment=None)
    visits.watch_build_slot(order, order.appointment)
    send()
    order = samples.amend(order, site={"hazards": "A trench"})
    order = samples.until(order, order.appointment.ends_at)

    order = asked(order, samples.fresh, partner, 422, "invalidMessage")
    order = samples.after(order, seconds=1)

    assert (order.delay_code, order.appointment) == ("239", None)


def test_new_appointment_of_the_seller_is_given_back_when_the_cancel_failed(
    order: Order, partner: Partner
) -> None:
    """Order and visit have the same appointment again, and when its slot passes in silence it is missed."""
    first = order.appointment
    seller_actions.reappoint(not_before=samples.days_ahead(20), **samples.ref(order))

    order = asked(order, samples.fresh, partner, 422, "invalidMessage")

    assert order.appointment == first
    assert samples.last_members(order)["appointment"]["key"] == str(first.key)
    assert visit_samples.used_slots(order) == 1
    assert samples.until(order, first.ends_at).delay_code == "239"


def test_new_appointment_of_the_seller_stands_when_the_slot_before_it_is_over(
    order: Order, partner: Partner
) -> None:
    """Missed Appointment 6: nobody came, so the cancel that failed keeps nobody from the next visit."""
    order = samples.until(order, order.appointment.ends_at)
    seller_actions.reappoint(**samples.ref(order))
    second = samples.fresh(order).appointment

    order = asked(order, samples.fresh, partner, 422, "invalidMessage")
    order = samples.after(order, seconds=1)

    assert (order.appointment, order.visits.last().appointment) == (second, second)
    assert order.visits.count() == 2


def test_new_key_after_a_missed_slot_needs_no_answer_of_the_partner(order: Order, partner: Partner) -> None:
    """Missed Appointment 6; Limits: the buyer has 30 days for it, whatever became of the cancelJob."""
    order = samples.until(order, order.appointment.ends_at)
    order = asked(order, samples.fresh, partner, 422, "invalidMessage")
    order = samples.after(order, seconds=1)

    order = move(order)

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert visits.planned(order).appointment == order.appointment


def test_order_is_appointed_again_after_a_slip_whose_cancel_failed(order: Order, partner: Partner) -> None:
    """States, cabinet slip: the visit of before is over when its slot has passed and nobody came."""
    slot, day = order.appointment, samples.days_ahead(20)
    network_actions.move_release(uprn=order.uprn, day=day)
    order = asked(order, samples.fresh, partner, 422, "invalidMessage")
    assert samples.until(order, slot.ends_at).visits.get().ended_at

    order = samples.at_midnight(order, day + timedelta(days=1))

    assert samples.kinds(order)[-1] == "committed"
    assert order.visits.count() == 2


@pytest.fixture
def moved_wlto(wlto: Order, partner: Partner) -> Order:
    """The losing provider has moved its cease behind the appointment, and the partner does not cancel the visit."""
    day = limits.local_day(wlto.appointment.starts_at)
    wlto = samples.until(wlto, limits.no_return(day))
    later = (day + timedelta(days=20)).isoformat()
    return asked(wlto, lambda found: _move_cease(found, later), partner, 422, "invalidMessage")


def _move_cease(wlto: Order, day: str) -> Order:
    samples.amend(wlto.linked_ceases.get(), requested_date=day)
    return samples.fresh(wlto)


def test_visit_before_the_day_of_the_losing_provider_is_over_with_its_slot(
    moved_wlto: Order, partner: Partner
) -> None:
    """Switch and WLTO rules 6: nobody came, and the buyer's next key needs no answer of the partner."""
    assert (moved_wlto.appointment, moved_wlto.delay_code) == (None, "232")
    stale = moved_wlto.visits.get()

    order = samples.until(moved_wlto, stale.appointment.ends_at)

    assert visits.planned(order) is None
    cease = order.linked_ceases.get()
    key = samples.reserve(
        at=order.uprn, product=samples.NATIONAL_160, not_before=cease.requested_date + timedelta(days=1)
    ).key
    order = samples.amend(order, reservation_key=str(key))
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert (order.delay_code, visits.planned(order).appointment) == ("", order.appointment)


def test_visit_before_the_day_of_the_losing_provider_stays_when_an_engineer_is_there(
    moved_wlto: Order,
) -> None:
    visit_samples.provisioned(job_of(moved_wlto))

    order = samples.until(moved_wlto, moved_wlto.visits.get().appointment.ends_at)

    assert visits.planned(order) == order.visits.get()


# --- 9190 of a WLTO with an engineer, who has not reported yet that he is there --------------------------------
@pytest.fixture
def wlto(partner: Partner) -> Order:
    """BUYERA takes the line of BUYERB; the partner has accepted the job."""
    subject = {"product_name": samples.NATIONAL_160, "uprn": samples.uprn(24)}
    day = samples.days_ahead(25)
    key = samples.reserve(at=samples.uprn(24), product=samples.NATIONAL_160, not_before=day).key
    found = samples.placed(
        new_order_type="WLTO", is_engineer_install=True, reservation_key=str(key), **subject
    )
    send()
    return samples.fresh(found)


def cease_not_moving(wlto: Order) -> Order:
    cease = samples.cancel(wlto.linked_ceases.get(), code="9190", message="Not moving")
    assert samples.kinds(cease)[-1] == "cancellationPending"
    assert samples.fresh(wlto).state == "committed"
    return cease


@pytest.mark.parametrize(
    ("answer", "code"), [((409, "installationStarted"), "560"), ((422, "invalidMessage"), "562")]
)
def test_wlto_whose_visit_is_not_cancelled_outlives_9190(
    wlto: Order, partner: Partner, answer: tuple[int, str], code: str
) -> None:
    """409 installationStarted; D15: neither order ends before the partner has answered."""
    cease = asked(wlto, cease_not_moving, partner, *answer)

    assert samples.members_of(cease, "cancellationRejected")["reason"]["code"] == code
    assert (cease.state, samples.fresh(wlto).state) == ("committed", "committed")
    visit_samples.provisioned(job_of(wlto))
    assert visit_samples.close(wlto, "SP").state == "completed"
    assert samples.fresh(cease).state == "completed"


def test_9190_ends_both_orders_when_the_partner_has_cancelled_the_visit(
    wlto: Order, partner: Partner
) -> None:
    cease = cease_not_moving(wlto)
    send()

    assert [samples.fresh(order).state for order in (cease, wlto)] == ["cancelled", "cancelled"]
    assert samples.kinds(samples.fresh(cease))[-1] == "cancellationAccepted"
    assert samples.last_members(wlto)["reason"]["code"] == "9190"
    assert wlto.visits.count() == 1


@pytest.mark.parametrize(("code", "state"), [("SP", "completed"), ("FTA", "cancelled")])
def test_9190_is_decided_by_the_closure_of_a_job_that_is_closed(
    wlto: Order, partner: Partner, code: str, state: str
) -> None:
    """409 jobClosed."""
    wlto = samples.until(wlto, wlto.appointment.starts_at - timedelta(days=1))
    cease = asked(wlto, cease_not_moving, partner, 409, "jobClosed")
    visit_samples.provisioned(job_of(wlto))

    wlto = visit_samples.close(wlto, code)

    cease = samples.fresh(cease)
    assert (wlto.state, cease.state) == (state, state)
    kind = "cancellationRejected" if code == "SP" else "cancellationAccepted"
    assert kind in samples.kinds(cease)


def test_losing_provider_reads_that_the_old_day_stands_when_the_engineer_was_faster(
    wlto: Order, partner: Partner
) -> None:
    """409 installationStarted after the seller has reappointed; Switch and WLTO rules 3, Events."""
    stands = limits.local_day(wlto.appointment.starts_at)
    seller_actions.reappoint(not_before=stands + timedelta(days=1), **samples.ref(wlto))
    cease = wlto.linked_ceases.get()
    assert cease.requested_date > stands
    partner.script[:] = [refuse(409, "installationStarted")]
    send()

    cease = samples.fresh(cease)
    assert limits.local_day(samples.fresh(wlto).appointment.starts_at) == stands
    assert cease.requested_date == stands
    assert samples.kinds(cease)[-1] == "linkedDateChanged"
    assert samples.last_members(cease)["requested_date"] == stands.isoformat()
