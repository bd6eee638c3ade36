"""The four location cases and the courses that follow from them (order-provisioning.md, Endpoints 1 to 5)."""

from datetime import timedelta

import pytest

from seller_sandbox.network import business_days, locations, services
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import network_actions, reasons, steps
from seller_sandbox.orders.models import Course, Order
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState
from seller_sandbox.tests.orders import complex_samples, samples, visit_samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")
REMOTE = "Residential FTTH Remote Activation 160 Mbps"


def next_business_day() -> samples.date:
    return business_days.add_business_days(samples.clock.today(), 1)


def test_rfs_3_is_activated_remotely_on_the_next_working_day_without_a_job() -> None:
    """Endpoints 3; Completed needs a clock and no job for a non-appointed order."""
    order = samples.placed(uprn=uprn(10))
    assert (order.course, order.state, order.is_appointed) == (Course.ACTIVATION, OrderState.COMMITTED, False)
    assert order.requested_date == next_business_day()

    order = samples.at_midnight(order, order.requested_date)

    assert order.state == OrderState.COMPLETED
    assert not order.visits.exists()
    assert services.find_live(order.location).service_identifier == order.service_identifier
    assert locations.find(uprn(10)).rfs_status == "RFS_4"


def test_rfs_3_activation_today_is_inside_the_lead_time() -> None:
    order = samples.placed(uprn=uprn(10), requested_date=samples.clock.today())

    assert samples.last_members(order)["reason"]["code"] == reasons.LEAD_TIME.code


@pytest.mark.parametrize("option", ["is_engineer_install", "is_cpe_install"])
def test_rfs_3_with_an_engineer_or_a_cpe_install_needs_an_appointment(option: str) -> None:
    order = samples.placed(uprn=uprn(10), **{option: True})

    assert (order.course, order.is_appointed) == (Course.INSTALL, True)
    assert samples.last_members(order)["delay"]["code"] == reasons.DELAY_APPOINTMENT.code


def test_unsupported_ont_with_an_appointment_is_an_install() -> None:
    """Endpoints 5: the ONT is swapped."""
    order = samples.appointed(situation=11, product=samples.LOCAL_1000)

    assert (order.course, order.state) == (Course.INSTALL, OrderState.COMMITTED)


def test_appointment_for_a_remote_activation_is_rejected() -> None:
    """Endpoints 3."""
    key = samples.reserve(at=uprn(10)).key

    order = samples.placed(uprn=uprn(10), reservation_key=str(key))

    assert samples.last_members(order)["reason"]["code"] == reasons.APPOINTMENT_NOT_NEEDED.code


@pytest.mark.parametrize(
    ("situation", "option"),
    [(1, {}), (30, {}), (12, {}), (10, {"is_cpe_install": True}), (10, {"is_engineer_install": True})],
)
def test_remote_activation_that_would_need_an_engineer_is_rejected(
    situation: int, option: dict[str, bool]
) -> None:
    """Endpoints 3: no appointment can be reserved for it, as queryProductsForLocation says by not offering it."""
    order = samples.placed(uprn=uprn(situation), product_name=REMOTE, **option)

    assert order.end_code == reasons.PRODUCT_NOT_FOR_LOCATION.code
    assert samples.placed(uprn=uprn(10), product_name=REMOTE).state == OrderState.COMMITTED


@pytest.fixture
def complex_premises() -> str:
    """Its complex order was completed and the service has ceased: an ONT is installed (RFS_3)."""
    order = visit_samples.close(complete_course(), "SP")
    assert order.state == OrderState.COMPLETED
    cease = {"kind": "alaCease", "uprn": "", "product_name": ""}
    samples.placed(service_identifier=order.service_identifier, **cease)
    assert locations.find(complex_samples.UPRN).rfs_status == "RFS_3"
    return complex_samples.UPRN


def complete_course() -> Order:
    order = complex_samples.committed()
    job = samples.accepted(order)
    order = samples.until(order, job.starts_at)
    visit_samples.provisioned(job)
    return order


def test_complex_product_is_activated_where_its_ont_is_installed(complex_premises: str) -> None:
    """Endpoints 1 and 3: any RFS_3 property; nothing is left to survey or to build (D8)."""
    order = samples.placed(uprn=complex_premises, product_name=samples.COMPLEX)

    assert (order.course, order.state, order.is_appointed) == (Course.ACTIVATION, OrderState.COMMITTED, False)
    assert not any("complex_order" in message.members for message in order.thread.outbound.all())
    assert samples.at_midnight(order, order.requested_date).state == OrderState.COMPLETED


def test_engineer_for_a_complex_product_at_an_installed_ont_is_appointed_as_usual(
    complex_premises: str,
) -> None:
    """Endpoints 3: a CPE install needs an appointment, of the type install."""
    with pytest.raises(AppointmentNotPossible, match="needs the appointment type install"):
        samples.reserve(at=complex_premises, product=samples.COMPLEX, appointment_type=AppointmentType.SURVEY)
    key = samples.reserve(at=complex_premises, product=samples.COMPLEX).key

    order = samples.placed(
        uprn=complex_premises,
        product_name=samples.COMPLEX,
        is_cpe_install=True,
        reservation_key=str(key),
    )

    assert (order.course, order.state, order.is_appointed) == (Course.INSTALL, OrderState.COMMITTED, True)


def test_line_of_a_complex_product_is_taken_over(complex_premises: str) -> None:
    """Endpoints 4: any RFS_4 property."""
    first = samples.placed(uprn=complex_premises, product_name=samples.COMPLEX)
    samples.at_midnight(first, first.requested_date)

    order = samples.placed(uprn=complex_premises, product_name=samples.COMPLEX, new_order_type="WLTO")

    assert (order.course, order.state) == (Course.WLTO, OrderState.COMMITTED)


def test_pre_order_is_committed_with_delay_code_210() -> None:
    """Endpoints 2: slots beyond the release date; States: KCI2 carries 210."""
    order = samples.appointed(situation=30)

    committed = samples.members_of(order, "committed")
    assert committed["delay"]["code"] == "210"
    assert OrderCondition.DELAY in order.conditions
    assert order.appointment.starts_at.date() > order.location.cabinet.release_on


def test_pre_order_of_an_extended_install_carries_203_and_210() -> None:
    """States and Errors: both hold; KCI2 carries one code, and a delay behind it the other."""
    locations.change(locations.find(uprn(30)), loc_codes=["WSD"])

    order = samples.appointed(situation=30)

    assert samples.members_of(order, "committed")["delay"]["code"] == "203"
    assert samples.members_of(order, "delay")["delay"]["code"] == "210"
    assert order.cases.exists()
    order = samples.at_midnight(order, order.location.cabinet.release_on)
    assert (order.delay_code, order.conditions.count("delay")) == ("203", 1)


def test_delay_210_ends_when_the_cabinet_goes_live() -> None:
    """Other codes: 210 awaits the cabinet's release, so it ends with that; the appointment stands."""
    order = samples.appointed(situation=30)
    sent = order.thread.outbound.count()

    order = samples.at_midnight(order, order.location.cabinet.release_on - timedelta(days=1))
    assert order.delay_code == "210"
    order = samples.at_midnight(order, order.location.cabinet.release_on)

    assert (order.delay_code, order.conditions) == ("", [OrderCondition.NNI_RESERVED])
    assert order.events.last().kind == OrderEventKind.DELAY_ENDED
    assert (order.state, order.appointment.state) == (OrderState.COMMITTED, "booked")
    # no kind of notification says that a delay has ended
    assert order.thread.outbound.count() == sent


@pytest.mark.parametrize("days", [-10, 0])
def test_delay_210_follows_a_release_date_that_moves_forward(days: int) -> None:
    """Other codes, 210."""
    order = samples.appointed(situation=30)
    day = order.location.cabinet.release_on + timedelta(days=days)

    network_actions.move_release(uprn=uprn(30), day=day)

    assert samples.at_midnight(order, day - timedelta(days=1)).delay_code == "210"
    assert samples.at_midnight(order, day).delay_code == ""


def test_delay_210_lasts_until_the_later_date_of_a_cabinet_that_slips() -> None:
    """Other codes, 210; States, cabinet slip."""
    order = samples.appointed(situation=30)
    before = order.location.cabinet.release_on
    day = before + timedelta(days=20)

    network_actions.move_release(uprn=uprn(30), day=day)

    order = samples.at_midnight(order, before + timedelta(days=1))
    assert (order.delay_code, order.appointment) == ("210", None)
    order = samples.at_midnight(order, day)
    assert (order.delay_code, order.conditions.count("Delay")) == ("", 0)


def test_order_that_ends_watches_its_cabinet_no_more() -> None:
    """Other codes, 210."""
    order = samples.appointed(situation=30)

    assert steps.CABINET_LIVE in visit_samples.due_names(order)

    samples.end_by_rule(order)

    assert steps.CABINET_LIVE not in visit_samples.due_names(order)


@pytest.mark.parametrize("situation", [30, 31])
def test_premises_are_ready_from_the_day_on_which_the_cabinet_goes_live(situation: int) -> None:
    """Location, Cabinet Release Date; Endpoints 1 and 2: NOT_RFS_2 is RFS_2 then, also above DR3."""
    location = locations.find(uprn(situation))
    release_on = location.cabinet.release_on
    assert locations.is_orderable(location, release_on - timedelta(days=1)) == (situation == 30)
    samples.clock.move(seconds=30 * samples.A_DAY)

    assert locations.rfs_status_on(location, samples.clock.today()) == "RFS_2"
    order = samples.appointed(situation=situation)

    assert (order.state, order.delay_code) == (OrderState.COMMITTED, "")
    assert "delay" not in samples.members_of(order, "committed")


def test_release_date_that_had_passed_when_it_was_given_makes_nothing_ready() -> None:
    """Endpoints 2: situation 33; a date given anew does."""
    assert locations.rfs_status_on(locations.find(uprn(33)), samples.clock.today()) == "NOT_RFS_2"

    network_actions.move_release(uprn=uprn(33), day=samples.clock.today())

    assert samples.appointed(situation=33).state == OrderState.COMMITTED


@pytest.mark.parametrize("situation", [50, 51, 52])
def test_extended_install_is_committed_with_delay_code_203_and_a_case(situation: int) -> None:
    """Errors, last row; D8."""
    order = samples.appointed(situation=situation)

    assert order.state == OrderState.COMMITTED
    assert samples.members_of(order, "committed")["delay"]["code"] == "203"
    assert samples.members_of(order, "caseComment")["case"]["is_open"] is True


def test_comment_on_an_open_case_is_accepted_and_on_a_closed_one_rejected() -> None:
    """Amendment rules 8."""
    order = samples.appointed(situation=50)
    case = order.cases.get()
    changes = {"case_reference": case.reference, "case_comment": "The neighbours agree"}

    order = samples.amend(order, **changes)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    samples.cases.close_case(order, order.cases.get())
    order = samples.amend(order, **changes)

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_CASE_CLOSED.code
    assert order.cases.get().comments[0]["text"] == "The neighbours agree"


def test_named_nni_is_kept_and_none_is_reserved() -> None:
    """Events, ENNI Reserved; D16."""
    configuration = samples.ServiceConfiguration(nni_identifier="ENNI-A2")

    order = samples.placed(uprn=uprn(10), configuration=configuration)

    assert "enniReserved" not in samples.kinds(order)


def test_nni_that_the_seller_chose_is_sent_with_the_list_and_later() -> None:
    """ENNI Reserved carries the ext:nniIdentifiers list."""
    order = samples.placed(uprn=uprn(10))

    reserved = samples.members_of(order, "enniReserved")
    assert reserved["nni_identifiers"] == ["ENNI-A1", "ENNI-A2"]
    order = samples.at_midnight(order, order.requested_date)
    assert samples.members_of(order, "completed")["configuration"]["nni_identifier"] == "ENNI-A1"
    assert OrderCondition.NNI_RESERVED in Order.objects.get().conditions


def test_order_whose_line_another_order_has_taken_is_cancelled_by_the_seller() -> None:
    """States, seller cancel: the order can no longer progress."""
    first = samples.placed(uprn=uprn(10))
    second = samples.placed(uprn=uprn(10), who="BUYERB")

    first = samples.at_midnight(first, first.requested_date)

    second = samples.fresh(second)
    assert (first.state, second.state) == (OrderState.COMPLETED, OrderState.CANCELLED)
    assert samples.last_members(second)["reason"] == reasons.NOT_SERVICEABLE.as_members()
    assert services.find_live(first.location).buyer.identifier == "BUYERA"
