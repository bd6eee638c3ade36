"""docs/order-messages.md says what the code does: its generated parts are made anew, its examples are sent."""

import re

import pytest
from django.core.management import call_command

from seller_sandbox.orders.management.commands.order_messages import PAGE
from seller_sandbox.orders.wire import callback, parsing, reference, seller_messages
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import envelope, schema_tables, validation
from seller_sandbox.soap.namespaces import soap

TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"^#### ([^\n]+)\n\n```xml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
ANCHORS = {
    re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    for title in re.findall(r"^#+ (?:<a .*?></a>)?(.+)$", TEXT, re.MULTILINE)
} | set(re.findall(r'<a id="([^"]+)">', TEXT))


def test_generated_parts_are_those_of_the_code() -> None:
    assert reference.render(TEXT) == TEXT, "python -m seller_sandbox.manage order_messages writes them anew"


def test_every_generated_part_is_in_the_page() -> None:
    assert {found["name"] for found in schema_tables.REGION.finditer(TEXT)} == {*reference.PARTS}


def test_command_writes_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("order_messages")

    assert PAGE.read_text() == TEXT
    assert str(PAGE) in capsys.readouterr().out


@pytest.mark.parametrize(("title", "example"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_every_example_can_be_sent(title: str, example: str) -> None:
    content = example.encode()
    element = envelope.open_envelope(content)
    if element.tag == soap("Fault"):
        validation.validate(element.find("detail")[0], INTERFACE)
    elif element.tag.endswith("Request"):
        assert parsing.parse(content).header.buyer_identifier == "BUYERA"
    elif "acknowledgement" in title:
        assert callback.read(content).acknowledges(callback.read(content).message_id)
    else:
        assert seller_messages.read(content).name == element.tag.rpartition("}")[2]


def test_no_block_of_xml_is_left_out() -> None:
    assert TEXT.count("```xml") == len(EXAMPLES)


def test_every_link_within_the_page_leads_somewhere() -> None:
    assert sorted({*re.findall(r"\]\(#([^)]+)\)", TEXT)} - ANCHORS) == []


def test_all_decisions_are_in_the_page() -> None:
    named = {int(number) for number in re.findall(r"\bD(\d{1,2})\b", TEXT)}

    assert named == {*range(1, 22)}
