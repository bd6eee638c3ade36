"""docs/fault-messages.md says what the code does: its generated parts are made anew, its examples are sent."""

import re

import pytest
from django.core.management import call_command

from seller_sandbox.console.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.faults.management.commands.fault_messages import PAGE
from seller_sandbox.faults.wire import parsing, reference, seller_messages
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.request_layouts import PATHS
from seller_sandbox.soap import callback, envelope, schema_tables

TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"^#### ([^\n]+)\n\n```xml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_generated_parts_are_those_of_the_code() -> None:
    assert reference.render(TEXT) == TEXT, "python -m seller_sandbox.manage fault_messages writes them anew"


def test_every_generated_part_is_in_the_page() -> None:
    assert {found["name"] for found in schema_tables.REGION.finditer(TEXT)} == {*reference.PARTS}


def test_command_writes_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("fault_messages")

    assert PAGE.read_text() == TEXT
    assert str(PAGE) in capsys.readouterr().out


@pytest.mark.parametrize(("title", "example"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_every_example_can_be_sent(title: str, example: str) -> None:
    content = example.encode()
    name = envelope.open_envelope(content).tag.rpartition("}")[2]
    if name in PATHS:
        assert parsing.parse(content, path=name).header.buyer_identifier == "BUYERA"
    elif "acknowledgement" in title or name == "Fault":
        answer = callback.read(content, interface=INTERFACE, name=name)
        assert answer.is_acknowledgement or answer.fault_code == "Client"
    else:
        assert seller_messages.read(content)[0] == name


def test_every_request_example_is_read_as_it_was_written() -> None:
    for _, request in reference.examples.REQUESTS:
        assert parsing.parse(parsing.build(request), path=parsing.path_of(request)) == request


def test_every_path_has_an_example() -> None:
    assert [path for path in PATHS if f"`POST /{path}`)" not in TEXT] == []


def test_every_action_of_a_tester_is_named() -> None:
    assert [name for name in TICKET_ACTIONS if f"`{name}`" not in TEXT] == []
