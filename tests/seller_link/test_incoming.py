"""Every member and rule of job-messages.md, one line each."""

from datetime import UTC, datetime

import pytest

from dispatch.states import JobType
from seller_link.wire import incoming, refusals
from tests.seller_link.wire import LEFT_OUT, OPTIONAL_MEMBERS, message, raw

TOO_LONG = "x" * 37


def details(operation: str, **changes: object) -> list[tuple[str, str]]:
    try:
        incoming.check(operation, message(operation, **changes))
    except refusals.Refusal as refusal:
        assert (refusal.status, refusal.faultcode) == (422, "invalidMessage")
        return [(detail.field, detail.code) for detail in refusal.details]
    return []


@pytest.mark.parametrize("operation", incoming.OPERATIONS)
def test_example_keeps_the_contract(operation: str) -> None:
    assert details(operation) == []


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("messageId", "/messageId"),
        ("sentAt", "/sentAt"),
        ("sellerJobId", "/sellerJobId"),
        ("jobType", "/jobType"),
        ("orderReferences", "/orderReferences"),
        ("product", "/product"),
        ("product__productName", "/product/productName"),
        ("property", "/property"),
        ("property__uprn", "/property/uprn"),
        ("property__address", "/property/address"),
        ("property__address__lines", "/property/address/lines"),
        ("property__address__postcode", "/property/address/postcode"),
        ("property__latitude", "/property/latitude"),
        ("property__longitude", "/property/longitude"),
        ("siteContact", "/siteContact"),
        ("siteContact__name", "/siteContact/name"),
        ("siteContact__phone", "/siteContact/phone"),
        ("appointment", "/appointment"),
        ("appointment__start", "/appointment/start"),
        ("appointment__end", "/appointment/end"),
    ],
)
def test_missing_member_of_create_job_is_named(path: str, field: str) -> None:
    assert details("createJob", **{path: LEFT_OUT}) == [(field, "missingProperty")]


@pytest.mark.parametrize(
    "path", [*OPTIONAL_MEMBERS, "ont__serialNumber", "orderReferences__sellerOrderReference"]
)
def test_optional_member_of_create_job_may_be_left_out(path: str) -> None:
    assert details("createJob", **{path: LEFT_OUT}) == []


@pytest.mark.parametrize("path", ["orderReferences__sellerOrderReference", "previousProviderJobId"])
def test_reference_may_be_empty(path: str) -> None:
    assert details("createJob", **{path: ""}) == []


@pytest.mark.parametrize(
    ("path", "value", "field", "code"),
    [
        ("messageId", "not-a-uuid", "/messageId", "invalidFormat"),
        ("messageId", 7, "/messageId", "invalidValue"),
        ("correlationId", "x", "/correlationId", "invalidFormat"),
        ("sentAt", "2026-11-23T08:00:00", "/sentAt", "invalidFormat"),
        ("sentAt", "yesterday", "/sentAt", "invalidFormat"),
        ("sellerJobId", "", "/sellerJobId", "invalidValue"),
        ("sellerJobId", TOO_LONG, "/sellerJobId", "invalidValue"),
        ("jobType", "repair", "/jobType", "invalidValue"),
        ("orderReferences", {}, "/orderReferences", "missingProperty"),
        (
            "orderReferences__buyerOrderReference",
            TOO_LONG,
            "/orderReferences/buyerOrderReference",
            "invalidValue",
        ),
        (
            "orderReferences",
            {"buyerOrderReference": "", "sellerOrderReference": ""},
            "/orderReferences",
            "missingProperty",
        ),
        ("product__productName", "", "/product/productName", "invalidValue"),
        ("property__uprn", "1234567890123", "/property/uprn", "invalidFormat"),
        ("property__uprn", "12a", "/property/uprn", "invalidFormat"),
        ("property__uprn", "123\n", "/property/uprn", "invalidFormat"),
        ("property__uprn", 123, "/property/uprn", "invalidValue"),
        ("property__address__lines", [], "/property/address/lines", "invalidValue"),
        ("property__address__lines", ["", ""], "/property/address/lines", "invalidValue"),
        ("property__address__lines", ["12 High St", 1], "/property/address/lines/1", "invalidValue"),
        ("property__latitude", 91, "/property/latitude", "invalidValue"),
        ("property__longitude", -181, "/property/longitude", "invalidValue"),
        ("property__classification", "Shop", "/property/classification", "invalidValue"),
        ("property__flags", "CHP", "/property/flags", "invalidValue"),
        ("siteContact__phone", "", "/siteContact/phone", "invalidValue"),
        ("appointment__start", "2026-11-23T08:00", "/appointment/start", "invalidFormat"),
        ("appointment__end", "2026-11-23T08:00:00+00:00", "/appointment/start", "invalidValue"),
        ("expectedDurationMinutes", 14, "/expectedDurationMinutes", "invalidValue"),
        ("expectedDurationMinutes", 601, "/expectedDurationMinutes", "invalidValue"),
        ("expectedDurationMinutes", 60.5, "/expectedDurationMinutes", "invalidValue"),
        ("expectedDurationMinutes", True, "/expectedDurationMinutes", "invalidValue"),
        ("network", [], "/network", "invalidValue"),
        ("previousProviderJobId", TOO_LONG, "/previousProviderJobId", "invalidValue"),
    ],
)
def test_wrong_member_of_create_job_is_named(path: str, value: object, field: str, code: str) -> None:
    assert details("createJob", **{path: value}) == [(field, code)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("property__flags", ["PRRD", "CHP"]),
        ("somethingNew", {"a": 1}),
        ("expectedDurationMinutes", 60.0),
        ("product__productName", "x" * 3000),
        ("appointment__start", "2026-11-23T09:00:00+01:00"),
        ("appointment__start", "2026-11-23T08:00:00Z"),
        ("site__hazards", ""),
    ],
)
def test_allowed_member_of_create_job_passes(path: str, value: object) -> None:
    assert details("createJob", **{path: value}) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"providerJobId": LEFT_OUT}, [("/providerJobId", "missingProperty")]),
        ({"providerJobId": LEFT_OUT, "sellerJobId": "SJ-1"}, []),
        ({"providerJobId": ""}, [("/providerJobId", "invalidValue")]),
        ({"reason": LEFT_OUT}, []),
        ({"reason": {}}, []),
        ({"reason": "no"}, [("/reason", "invalidValue")]),
        ({"sellerJobId": "SJ-1"}, []),
    ],
)
def test_cancel_job_members(changes: dict[str, object], found: list[tuple[str, str]]) -> None:
    assert details("cancelJob", **changes) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"providerJobId": LEFT_OUT}, [("/providerJobId", "missingProperty")]),
        ({"event": "enRoute"}, [("/event", "invalidValue")]),
        ({"event": "somethingElse"}, [("/event", "invalidValue")]),
        ({"event": LEFT_OUT}, [("/event", "missingProperty")]),
        ({"occurredAt": LEFT_OUT}, [("/occurredAt", "missingProperty")]),
        ({"occurredAt": "2026-11-23T09:30:00"}, [("/occurredAt", "invalidFormat")]),
        ({"result": LEFT_OUT}, [("/result", "missingProperty")]),
        ({"result__id": 8}, [("/result/id", "invalidValue")]),
        ({"result__id": 0}, [("/result/id", "invalidValue")]),
        ({"result__success": "true"}, [("/result/success", "invalidValue")]),
        ({"result__id": 2, "result__success": True}, []),
        ({"result__id": 1, "result__success": False}, [("/result/success", "invalidValue")]),
        ({"result__id": 2.0, "result__success": False}, [("/result/success", "invalidValue")]),
        *[({"result__id": number, "result__success": False}, []) for number in range(3, 8)],
        *[
            ({"result__id": number, "result__success": True}, [("/result/success", "invalidValue")])
            for number in range(3, 8)
        ],
        ({"occurredAt": "0001-01-01T00:00:00+00:00"}, [("/occurredAt", "invalidValue")]),
        ({"occurredAt": "9999-12-31T23:59:59Z"}, [("/occurredAt", "invalidValue")]),
        ({"result__details": LEFT_OUT}, []),
        ({"scanId": "x"}, [("/scanId", "invalidFormat")]),
        ({"scanId": "6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d0099"}, []),
    ],
)
def test_notify_job_members(changes: dict[str, object], found: list[tuple[str, str]]) -> None:
    assert details("notifyJob", **changes) == found


def test_all_problems_come_at_once() -> None:
    found = details(
        "createJob",
        sentAt="2026-11-20T09:30:00",
        jobType="repair",
        product__productName=LEFT_OUT,
        orderReferences={},
        appointment__end="2026-11-23T07:00:00+00:00",
    )

    assert sorted(found) == [
        ("/appointment/start", "invalidValue"),
        ("/jobType", "invalidValue"),
        ("/orderReferences", "missingProperty"),
        ("/product/productName", "missingProperty"),
        ("/sentAt", "invalidFormat"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"a": "\xff"}',
        '{"a": 1}'.encode("utf-16"),
        b'{"nul \\u0000 name": 1}',
        b'{"a":' * 33 + b"1" + b"}" * 33,
        b"[" * 100_000,
    ],
)
def test_unreadable_body_is_refused(body: bytes) -> None:
    with pytest.raises(refusals.Refusal) as refusal:
        incoming.parse(body)

    assert (refusal.value.status, refusal.value.faultcode) == (400, "invalidBody")
    assert refusal.value.body()["fault"]["detail"][0]["field"] == "/"


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        (b'{"a": NaN}', "/a", "NaN is no JSON value"),
        (b'{"a": -Infinity}', "/a", "-Infinity is no JSON value"),
        (b'{"a": {"b": [1, 1e400]}}', "/a/b/1", "A number is out of range."),
        (b'{"a": ' + b"9" * 5000 + b"}", "/a", "A number is out of range."),
        (b'{"a": {"b/c": [{"d": 1, "d": 1}]}}', "/a/b~1c/0/d", "the member 'd' twice"),
        (b'{"a": {"b": "nul \\u0000"}}', "/a/b", "A text holds a NUL character"),
        (b'{"a": {"b\\u0000": 1}}', "/a", "A text holds a NUL character"),
        (b'{"a": ["half \\ud800 pair"]}', "/a/0", "half a surrogate pair"),
        (b'{"a": {"\\u0000": 1, "\\u0000": 2}}', "/a", "twice"),
        (b'{"a":\n "b" 1}', "/", "Expecting ',' delimiter at line 2, column 6."),
        (b'{"a":' * 40 + b"1e400" + b"}" * 40, "/", "nested deeper than 32"),
    ],
)
def test_unreadable_part_is_named_with_its_place(body: bytes, field: str, says: str) -> None:
    with pytest.raises(refusals.Refusal) as refusal:
        incoming.parse(body)

    (detail,) = refusal.value.details
    assert (refusal.value.status, detail.field) == (400, field)
    assert says in detail.message


def test_nesting_of_32_is_read() -> None:
    body = b'{"a":' * 32 + b"1" + b"}" * 32

    assert list(incoming.parse(body)) == ["a"]


def test_astral_character_is_no_surrogate() -> None:
    assert incoming.parse(raw({"a": "\U0001f600"})) == {"a": "\U0001f600"}


def test_job_pack_is_read_whole() -> None:
    pack = incoming.job_pack(message("createJob"))

    assert (pack.seller_job_id, pack.job_type) == ("SJ-1001", JobType.INSTALLATION)
    assert pack.window_start == datetime(2026, 11, 23, 8, tzinfo=UTC)
    assert pack.premises.address.lines == ("12 Chapel Row", "Headingley")
    assert (pack.premises.latitude, pack.premises.flags) == (53.81, ("CHP", "BP"))
    assert (pack.ont.fsan, pack.ont.serial_number) == ("CXNK00ABCDEF", "261200123456")
    assert pack.advice.hazards == "Dog in the garden"
    assert pack.network == {"olt": "LS-OLT-1", "ponPort": "1/1/3", "node": "LS-N-14"}
    assert pack.previous_provider_job_id == "J-OLD1-0001"


def test_empty_lines_of_an_address_are_left_out() -> None:
    body = message("createJob", property__address__lines=["12 High St", "", "Headingley", ""])

    incoming.check("createJob", body)

    assert incoming.job_pack(body).premises.address.lines == ("12 High St", "Headingley")


def test_premises_at_zero_zero_have_no_location() -> None:
    at_sea = incoming.job_pack(message("createJob", property__latitude=0, property__longitude=0.0)).premises
    in_ghana = incoming.job_pack(message("createJob", property__latitude=5.6, property__longitude=0)).premises

    assert (at_sea.latitude, at_sea.longitude) == (None, None)
    assert (in_ghana.latitude, in_ghana.longitude) == (5.6, 0)


def test_same_content_is_recognised_whatever_the_envelope() -> None:
    first = incoming.job_pack(message("createJob"))
    again = incoming.job_pack(
        message("createJob", sentAt="2026-11-21T00:00:00+00:00", correlationId=LEFT_OUT, unknownMember=1)
    )
    other = incoming.job_pack(message("createJob", site__notes="Ring thrice"))

    assert first.content_sha256 == again.content_sha256
    assert first.content_sha256 != other.content_sha256
