"""docs/diagnostics-messages.md says what the code does: its generated parts are made anew, its examples are read."""

import re

import pytest
from django.core.management import call_command

from seller_sandbox.diagnostics import next_best_actions
from seller_sandbox.diagnostics.management.commands.diagnostics_messages import PAGE
from seller_sandbox.diagnostics.wire import examples, reference, requests
from seller_sandbox.soap import envelope
from seller_sandbox.soap.namespaces import soap
from seller_sandbox.tests.diagnostics.asking import fault, read

TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"^#### ([^\n]+)\n\n```xml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
ANCHORS = {
    re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
}


def test_generated_parts_are_those_of_the_code() -> None:
    assert reference.render(TEXT) == TEXT, "python -m seller_sandbox.manage diagnostics_messages writes them"


def test_every_generated_part_is_in_the_page() -> None:
    assert {found["name"] for found in reference.REGION.finditer(TEXT)} == {*reference.PARTS}


def test_command_writes_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("diagnostics_messages")

    assert PAGE.read_text() == TEXT
    assert str(PAGE) in capsys.readouterr().out


@pytest.mark.parametrize(("title", "example"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_every_example_is_valid(title: str, example: str) -> None:
    element = envelope.open_envelope(example.encode())
    if element.tag == soap("Fault"):
        assert fault(example.encode())
    elif element.tag.endswith(requests.NAME):
        assert requests.read(element).service_identifier
    else:
        assert (read(example.encode())["response_code"] == 0) == title.startswith("200")


def test_each_code_has_an_example_that_the_table_decides_so() -> None:
    assert examples.TESTS.keys() == next_best_actions.by_code().keys()
    for code, test in examples.TESTS.items():
        statuses = (test.ont.status, test.cfm.status, test.uni_port.status)
        assert next_best_actions.codes_by_statuses().get(statuses, "STF001") == code


def test_no_block_of_xml_is_left_out() -> None:
    assert TEXT.count("```xml") == len(EXAMPLES)


def test_every_link_within_the_page_leads_somewhere() -> None:
    assert sorted({*re.findall(r"\]\(#([^)]+)\)", TEXT)} - ANCHORS) == []
