"""Any request that a buyer can mean is read as it was written."""

import re
import string
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from seller_sandbox.orders.wire import parsing
from seller_sandbox.orders.wire import requests as wire

# what XML can carry and the schemas allow, without blanks at the ends and blanks that XML turns into one another
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"),
    max_size=60,
).map(str.strip)
TOKEN = TEXT.map(lambda text: re.sub(" +", " ", text))
NAMED = st.text(string.ascii_letters + string.digits + "-_.<>&'\"", min_size=1, max_size=36)
DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))
FIRST = datetime(1901, 1, 1, tzinfo=UTC)
MINUTES = st.integers(0, 150_000_000).map(lambda minutes: FIRST + timedelta(minutes=minutes))
TYPES = st.sampled_from(["", "install", "orderSurvey", "orderExternal", "orderInternal"])
HEADERS = st.builds(
    wire.Header,
    message_id=NAMED,
    correlation_id=NAMED,
    sent_at=MINUTES,
    buyer_identifier=NAMED,
    seller_identifier=NAMED,
    reseller_id=st.one_of(st.just(""), NAMED),
    buyer_order_reference=TOKEN,
)
SWITCHES = st.one_of(st.none(), st.booleans())
SITES = st.builds(wire.SiteInformation, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, SWITCHES, SWITCHES, SWITCHES)
CONFIGURATIONS = st.builds(wire.ServiceConfiguration, TOKEN, TOKEN, TOKEN, TOKEN, TOKEN, TOKEN)
INSTALLS = st.builds(
    wire.OrderRequest,
    header=HEADERS,
    kind=st.just("alaNewInstall"),
    uprn=TOKEN,
    product_name=TOKEN,
    new_order_type=st.sampled_from(["", "Regrade", "Switch", "WLTO"]),
    requested_date=st.one_of(st.none(), DAYS),
    reservation_key=TOKEN,
    project_reference=TOKEN,
    site=SITES,
    configuration=CONFIGURATIONS,
    auxiliary_services=st.lists(TEXT, max_size=5).map(tuple),
    is_engineer_install=st.booleans(),
    is_cpe_install=st.booleans(),
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "uprn": NAMED,
        "product_name": NAMED,
        "requested_date": DAYS.map(str),
        "reservation_key": NAMED,
        "appointment_type": TYPES.filter(bool),
        "site": st.fixed_dictionaries({"hazards": NAMED}, optional={"has_power_sockets": st.booleans()}),
        "configuration": st.fixed_dictionaries({"s_vlan": NAMED}, optional={"c_vlan": NAMED}),
        "auxiliary_services": st.lists(NAMED, min_size=1, max_size=4),
        "cancelled_auxiliary_services": st.lists(NAMED, min_size=1, max_size=4),
        "complex_answer": st.sampled_from(["acceptEstimate", "rejectEstimate", "acceptCost", "rejectCost"]),
        "survey_date": DAYS.map(str),
    },
)


@settings(max_examples=200, deadline=None)
@given(INSTALLS)
def test_any_new_install(request: wire.OrderRequest) -> None:
    assert parsing.parse(parsing.build(request)) == request


@settings(max_examples=100, deadline=None)
@given(HEADERS, NAMED, MINUTES)
def test_any_cease_at_a_time(header: wire.Header, service: str, moment: datetime) -> None:
    """Whatever the offset, the day is that of London."""
    request = wire.OrderRequest(header, "alaCease", service_identifier=service, requested_at=moment)

    parsed = parsing.parse(parsing.build(request))

    assert parsed.requested_at == moment
    assert abs(parsed.requested_date - moment.date()) <= timedelta(days=1)


@settings(max_examples=200, deadline=None)
@given(HEADERS, NAMED, CHANGES)
def test_any_amendment(header: wire.Header, target: str, changes: dict[str, object]) -> None:
    request = wire.AmendOrderRequest(header, target, changes)

    assert parsing.parse(parsing.build(request)) == request


@settings(max_examples=100, deadline=None)
@given(HEADERS, DAYS, st.times(), TOKEN, TYPES)
def test_any_reservation(
    header: wire.Header, day: date, start: time, text: str, appointment_type: str
) -> None:
    header, start = replace(header, buyer_order_reference=""), start.replace(second=0, microsecond=0)
    request = wire.ReserveAppointmentRequest(header, day, start, time(23, 59), text, text, appointment_type)

    assert parsing.parse(parsing.build(request)) == request
