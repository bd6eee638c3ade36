"""Every createJob that profile 1.1 calls legal, drawn by Hypothesis, and the same with windows that it refuses."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django.utils import timezone as clock
from hypothesis import strategies as st

from seller_link.wire.v1.contract import MAX_DISTANCE, MAX_WINDOW

Body = dict[str, Any]
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
HOSTILE = [
    "<script>go()</script>",
    "{{ job }}",
    "%s %(at)s {0}",
    "\u202eright to left",
    "é" * 5000,
    "\r\n\t",
    "0",
]

# --- pieces of a message -----------------------------------------------------------------------------------
texts = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60
)
some_text = texts.filter(bool)
identifiers = some_text.map(lambda text: text[:36])
uuids = st.uuids().map(str) | st.uuids().map(lambda uuid: str(uuid).upper())
plain_values = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
)
values = st.recursive(
    plain_values, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=6
)
offsets = st.sampled_from([0, 60, -300, 330, 840]).map(lambda minutes: timezone(minutes * MINUTE))


def written(moment: datetime) -> str:
    """As the contract has it: `Z` and no seconds are allowed, too."""
    text = moment.isoformat()
    return text.replace("+00:00", "Z").replace(":00Z", "Z") if text.endswith(":00+00:00") else text


def optional(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Body]:
    """Each member there, absent, or null, which means absent."""
    return st.fixed_dictionaries({}, optional={name: member | st.none() for name, member in members.items()})


def both(required: st.SearchStrategy[Body], others: st.SearchStrategy[Body]) -> st.SearchStrategy[Body]:
    return st.builds(lambda required_part, other: {**required_part, **other}, required, others)


# --- windows -----------------------------------------------------------------------------------------------
@st.composite
def legal_windows(draw: st.DrawFn) -> tuple[datetime, datetime]:
    """Within five years of now, at most 31 days long; the limits themselves, and today, come often."""
    reach = MAX_DISTANCE - DAY
    most, longest = reach // MINUTE, MAX_WINDOW // MINUTE
    minutes = st.sampled_from([1, 60, 300, longest]) | st.integers(1, longest)
    length = draw(minutes) * MINUTE
    ahead = st.sampled_from([-most, -60, 0, 60, most]) | st.integers(-2880, 2880) | st.integers(-most, most)
    start = clock.now().replace(second=0, microsecond=0) + draw(ahead) * MINUTE
    start = min(start, clock.now().replace(second=0, microsecond=0) + reach - length)
    return start.astimezone(draw(offsets)), (start + length).astimezone(draw(offsets))


moments = st.sampled_from([FIRST, FIRST + timedelta(hours=1), LAST - timedelta(seconds=1), LAST]) | (
    st.datetimes(FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None), timezones=st.just(UTC))
)
# the two ends in any order, from year 1 to year 9999
any_windows = st.tuples(moments, moments) | legal_windows()


# --- the message -------------------------------------------------------------------------------------------
def property_() -> st.SearchStrategy[Body]:
    address = both(
        st.fixed_dictionaries({"lines": st.lists(some_text, min_size=1, max_size=4), "postcode": some_text}),
        optional(town=texts),
    )
    degrees = st.fixed_dictionaries({"latitude": st.floats(-90, 90), "longitude": st.floats(-180, 180)})
    located = st.just({}) | degrees | st.just({"latitude": None, "longitude": None})
    flags = st.lists(some_text | st.sampled_from(["CHP", "SUR", "MDU", "BP"]), max_size=5)
    kinds = st.sampled_from(["Residential", "Business", "Other"])
    uprn = st.from_regex(r"[0-9]{1,12}", fullmatch=True)
    required = st.fixed_dictionaries({"uprn": uprn, "address": address})
    return both(both(required, located), optional(classification=kinds, flags=flags))


def fault_reports() -> st.SearchStrategy[Body]:
    return optional(
        buyerFaultReference=texts,
        maintainerFaultReference=texts,
        faultType=texts,
        description=texts,
        faultStartTime=legal_windows().map(lambda window: written(window[0])),
        triageFindings=st.lists(values, max_size=3),
        lastDiagnostics=values,
        files=st.lists(values, max_size=3),
    )


def orders() -> st.SearchStrategy[Body]:
    buyer, seller = "buyerOrderReference", "sellerOrderReference"
    return (
        st.fixed_dictionaries({buyer: identifiers})
        | st.fixed_dictionaries({seller: identifiers})
        | st.fixed_dictionaries({buyer: identifiers, seller: identifiers})
    )


def required_members() -> st.SearchStrategy[Body]:
    contact = st.fixed_dictionaries({"name": some_text, "phone": some_text})
    return st.fixed_dictionaries(
        {
            "messageId": uuids,
            "sentAt": moments.map(written) | st.builds(lambda: written(clock.now())),
            # two packs of one example are never the same job
            "sellerJobId": st.builds(lambda text, uuid: f"{text[:4]}{uuid.hex}", texts, st.uuids()),
            "jobType": st.sampled_from(["installation", "revisit", "external", "civils"]),
            "orderReferences": orders(),
            "product": both(st.fixed_dictionaries({"productName": some_text}), optional(lineProfile=texts)),
            "property": property_(),
            "siteContact": both(contact, optional(email=texts)),
        }
    )


def optional_members() -> st.SearchStrategy[Body]:
    return optional(
        correlationId=uuids,
        providerJobId=identifiers,
        serviceIdentifier=texts,
        site=optional(accessRestrictions=texts, preferredOntLocation=texts, hazards=texts, notes=texts),
        expectedDurationMinutes=st.integers(15, 600) | st.sampled_from([15.0, 600.0]),
        ont=optional(vendor=texts, model=texts, fsan=texts, serialNumber=texts),
        network=st.dictionaries(texts, values, max_size=4),
        previousProviderJobId=identifiers,
        fault=fault_reports(),
        aMemberOfTheNextProfile=values,
    )


@st.composite
def packs(draw: st.DrawFn, windows: st.SearchStrategy[tuple[datetime, datetime]] | None = None) -> Body:
    """A createJob body; with other `windows` the server may refuse it for these, and for nothing else."""
    start, end = draw(windows if windows is not None else legal_windows())
    appointment = {**draw(optional(reservationKey=texts)), "start": written(start), "end": written(end)}
    return {**draw(required_members()), **draw(optional_members()), "appointment": appointment}
