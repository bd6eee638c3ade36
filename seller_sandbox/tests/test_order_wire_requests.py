"""Requests of buyers, read and written (docs/order-messages.md)."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from seller_sandbox.orders.wire import examples, parsing, paths
from seller_sandbox.orders.wire.namespaces import BASE, EXTENSION
from seller_sandbox.orders.wire.requests import ParsedRequest, ServiceConfiguration
from seller_sandbox.soap.namespaces import SOAP
from seller_sandbox.soap.problems import InvalidMessage
from seller_sandbox.tests.order_messages import HEADER, NEW_INSTALL, cease, envelope, new_install
from seller_sandbox.tests.processes import REPOSITORY

OTHER_NAMESPACE = """
import django
django.setup()
from seller_sandbox.orders.wire import examples, parsing
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import schemas
message = parsing.build(examples.NEW_INSTALL)
assert b"urn:sandbox-seller:orders:extension" not in message
assert b'"https://operator.example/ext/2"' in message
assert parsing.parse(message) == examples.NEW_INSTALL
assert b'targetNamespace="https://operator.example/ext/2"' in schemas.content(INTERFACE, "extension.xsd")
"""


@pytest.mark.parametrize(("title", "path", "request_"), examples.REQUESTS, ids=lambda value: str(value)[:30])
def test_every_request_is_read_as_it_was_written(title: str, path: str, request_: ParsedRequest) -> None:
    parsed = parsing.parse(parsing.build(request_))

    assert parsed == request_
    paths.check(path, parsed)


def test_each_operation_has_an_example() -> None:
    assert {path for _, path, _ in examples.REQUESTS} == {*paths.PATHS} - {paths.ALL_MESSAGES}


def test_prefixes_do_not_matter() -> None:
    text = NEW_INSTALL.decode()
    prefixed = (
        text.replace(f'xmlns="{BASE}"', f'xmlns:q="{BASE}"')
        .replace(f'xmlns:ext="{EXTENSION}"', f'xmlns:ns0="{EXTENSION}"')
        .replace(f'xmlns:soapenv="{SOAP}"', f'xmlns:S="{SOAP}"')
        .replace("<ext:", "<ns0:")
        .replace("</ext:", "</ns0:")
        .replace("<soapenv:", "<S:")
        .replace("</soapenv:", "</S:")
    )
    lines = [_with_prefix(line) for line in prefixed.splitlines()]

    assert parsing.parse("\n".join(lines).encode()) == examples.NEW_INSTALL


def _with_prefix(line: str) -> str:
    """Put a prefix before the names that have none."""
    parts = line.replace("</", "\0").replace("<", "\1").replace("\0", "</").split("\1")
    renamed = [
        part if ":" in part.split(">")[0] or part[:1] in {"?", ""} else f"q:{part}" for part in parts[1:]
    ]
    text = "<".join([parts[0], *renamed])
    head, closing, name = text.partition("</")
    return text if not closing or ":" in name.split(">")[0] else f"{head}</q:{name}"


def test_extension_namespace_is_a_setting() -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
        "SANDBOX_ORDER_EXTENSION_NAMESPACE": "https://operator.example/ext/2",
    }
    command = [sys.executable, "-c", OTHER_NAMESPACE]

    result = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )

    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("namespace", [BASE, SOAP])
def test_extensions_have_a_namespace_of_their_own(namespace: str) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
        "SANDBOX_ORDER_EXTENSION_NAMESPACE": namespace,
    }
    command = [
        sys.executable,
        "-c",
        "import django; django.setup(); import seller_sandbox.orders.wire.namespaces",
    ]

    result = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )

    assert f"SANDBOX_ORDER_EXTENSION_NAMESPACE: {namespace} is not free" in result.stderr


# --- what the document answers with Rejected passes (D2) ------------------------------------------------------
@pytest.mark.parametrize(
    ("references", "reference"),
    [
        ("", ""),
        ("<orderReferences/>", ""),
        ("<orderReferences><buyerOrderReference/></orderReferences>", ""),
        ("<orderReferences><buyerOrderReference> a </buyerOrderReference></orderReferences>", "a"),
        (
            f"<orderReferences><buyerOrderReference>{'x' * 500}</buyerOrderReference></orderReferences>",
            "x" * 500,
        ),
    ],
)
def test_reference_is_left_to_validation(references: str, reference: str) -> None:
    parsed = parsing.parse(new_install(references=references))

    assert parsed.header.buyer_order_reference == reference


@pytest.mark.parametrize("uprn", ["", "12a", "-1", "1" * 40, "十", "1 2"])
def test_uprn_is_left_to_validation(uprn: str) -> None:
    assert parsing.parse(new_install(f"<addressKey>{uprn}</addressKey>")).uprn == uprn


def test_missing_parts_of_an_order_are_left_to_validation() -> None:
    parsed = parsing.parse(new_install())

    assert (parsed.uprn, parsed.product_name, parsed.reservation_key) == ("", "", "")
    assert (parsed.requested_date, parsed.auxiliary_services) == (None, ())


def test_configuration_is_left_to_validation() -> None:
    inside = (
        "<serviceConfiguration><nniIdentifier>none</nniIdentifier><nniSVlanId>0</nniSVlanId>"
        "<nniCVlanId>4095x</nniCVlanId><ext:lineProfile>?</ext:lineProfile>"
        "<authenticationProtocol>L2TP</authenticationProtocol></serviceConfiguration>"
        "<auxiliaryServices><auxiliaryService>UNKNOWN</auxiliaryService></auxiliaryServices>"
    )

    parsed = parsing.parse(new_install(inside))

    assert parsed.configuration == ServiceConfiguration("none", "0", "4095x", "?", "", "L2TP")
    assert parsed.auxiliary_services == ("UNKNOWN",)


# --- dates and slots ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-12-31", date(2026, 12, 31)),
        ("2026-12-31T23:30:00", date(2026, 12, 31)),
        ("2026-12-31T23:30:00Z", date(2026, 12, 31)),
        # half past midnight, summer time, in London
        ("2026-07-01T23:30:00Z", date(2026, 7, 2)),
        ("2026-12-31T23:30:00-05:00", date(2027, 1, 1)),
        ("2026-12-31T23:30:00.123456789+01:00", date(2026, 12, 31)),
    ],
)
def test_requested_date_with_a_time_is_the_local_day(text: str, day: date) -> None:
    parsed = parsing.parse(
        cease(f"<serviceIdentifier>F</serviceIdentifier><requestedDate>{text}</requestedDate>")
    )

    assert parsed.requested_date == day
    assert (parsed.requested_at is None) == ("T" not in text)


def test_time_without_offset_is_local() -> None:
    parsed = parsing.parse(
        cease("<serviceIdentifier>F</serviceIdentifier><requestedDate>2026-07-01T10:00:00</requestedDate>")
    )

    assert parsed.requested_at == datetime(2026, 7, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("08:00", "13:00"),
        ("08:00:00", "13:00:00"),
        ("08:00:00+01:00", "13:00:00+01:00"),
        ("07:00:00Z", "12:00:00Z"),
    ],
)
def test_slot_is_local_time(start: str, end: str) -> None:
    slot = (
        f"<appointmentSlot><appointmentDate>2026-07-01</appointmentDate><appointmentStartTime>{start}"
        f"</appointmentStartTime><appointmentEndTime>{end}</appointmentEndTime></appointmentSlot>"
    )

    parsed = parsing.parse(envelope(f"<reserveAppointmentRequest>{HEADER}{slot}</reserveAppointmentRequest>"))

    assert (parsed.slot_date, parsed.slot_start, parsed.slot_end) == (date(2026, 7, 1), time(8), time(13))
    assert parsed.starts_at == datetime(2026, 7, 1, 7, tzinfo=UTC)
    assert parsed.ends_at.utcoffset() == timedelta(hours=1)


def test_changes_of_an_amendment_fit_a_json_column() -> None:
    for amendment in (examples.AMENDMENT, examples.COMPLEX_AMENDMENT):
        changes = parsing.parse(parsing.build(amendment)).changes

        assert json.loads(json.dumps(changes)) == changes


def test_requested_date_of_an_amendment_is_a_day() -> None:
    message = parsing.build(replace(examples.AMENDMENT, changes={"requested_date": "2026-12-31"}))

    assert parsing.parse(message).changes == {"requested_date": "2026-12-31"}
    later = message.replace(b"2026-12-31", b"2026-12-31T23:30:00-05:00")
    assert parsing.parse(later).changes == {"requested_date": "2027-01-01"}


# --- paths --------------------------------------------------------------------------------------------------
def test_base_address_takes_every_request() -> None:
    for _, _, request in examples.REQUESTS:
        paths.check(paths.ALL_MESSAGES, request)


def test_path_of_another_operation_is_named() -> None:
    with pytest.raises(InvalidMessage, match="does not belong to the path ceaseOrder") as refused:
        paths.check("ceaseOrder", examples.NEW_INSTALL)

    assert refused.value.problems[0].remedy.startswith("Send it to the path order,")


# --- blanks -------------------------------------------------------------------------------------------------
def test_token_is_as_long_as_the_schema_has_counted_it() -> None:
    blanks = " " * 200
    message = NEW_INSTALL.replace(b"<messageId>", f"<messageId>a{blanks}\n".encode())

    assert parsing.parse(message).header.message_id == f"a {examples.NEW_INSTALL.header.message_id}"


def test_free_text_has_its_blanks_and_lines() -> None:
    hazards = "Dog  in the yard.\n\nAsbestos  in the roof."
    site = f"<siteInformation><hazards>{hazards}</hazards></siteInformation>"

    assert parsing.parse(new_install(site)).site.hazards == hazards
