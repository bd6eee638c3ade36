"""The fault object of createJob (job-messages.md, createJob): kept, read in words, refused member by member."""

from typing import Any

import pytest
from django.utils import translation

from dispatch.job_pack import fault_kind, fault_lines
from dispatch.models import Job
from phone.job_details import build_job_facts
from seller_link.models import InboundMessage
from tests.board.office import signed_in
from tests.seller_link.inbox import faultcode, fields, say
from tests.seller_link.wire import message

pytestmark = pytest.mark.django_db(transaction=True)
FAULT: dict[str, Any] = {
    "buyerFaultReference": "BF-1",
    "maintainerFaultReference": "MF-1",
    "faultType": "Service Outage",
    "description": "No light since the storm",
    "faultStartTime": "2026-11-20T21:15:00Z",
    "access": "Key at number 14",
    "triageFindings": ["ONT down since the night", "Visit booked"],
    "lastDiagnostics": {
        "code": "CFH001",
        "currentStatus": "Potential Service Issue Detected",
        "ont": "Service Down",
        "cfm": "Down CF",
        "uniPort": "Up",
    },
    "files": [{"name": "lights.jpg"}],
}
LAST_CHECK = (
    "CFH001 · ONT: Offline · Connection: Down on the network operator's side · Ethernet port: Connected · "
    "The ONT is offline, probably because of the fibre. Look at the ONT's lights, then check the fibre from "
    "the ONT outwards and measure the light level."
)


def revisit(**fault: object) -> dict[str, Any]:
    return message("createJob", jobType="revisit", fault={**FAULT, **fault})


def test_story_is_read_in_words() -> None:
    say("createJob", revisit())

    lines = dict(fault_lines(Job.objects.get()))
    assert lines == {
        "Fault": "Service Outage",
        "Description": "No light since the storm",
        "Since": "Fri 20 Nov 2026 21:15",
        "Access": "Key at number 14",
        "Findings": "ONT down since the night · Visit booked",
        "Last line check": LAST_CHECK,
        "Files": "lights.jpg",
        "Buyer's fault reference": "BF-1",
        "Maintainer's fault reference": "MF-1",
    }


def test_office_and_engineer_read_the_same_story() -> None:
    say("createJob", revisit())

    job = Job.objects.get()
    page = signed_in().get(f"/board/jobs/{job}/").content.decode()
    phone = [(fact.name, fact.value) for fact in build_job_facts(job, visit=None, earlier=[]).fault]
    assert 'id="fault"' in page
    assert "Key at number 14" in page
    assert phone == fault_lines(job)


def test_page_of_a_job_without_a_fault_has_no_story() -> None:
    say("createJob", message("createJob"))

    assert 'id="fault"' not in signed_in().get(f"/board/jobs/{Job.objects.get()}/").content.decode()


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ([{"name": "a.jpg", "type": "image/jpeg", "description": "The lights"}], "a.jpg (The lights)"),
        ([{"name": "a.jpg"}, {"name": "b.jpg"}], "a.jpg, b.jpg"),
        (["a.jpg", {"link": "b"}], "a.jpg, link b"),
    ],
)
def test_files_are_named_with_what_they_show(files: list[object], text: str) -> None:
    say("createJob", revisit(files=files))

    assert dict(fault_lines(Job.objects.get()))["Files"] == text


def test_kind_of_the_fault_is_read_in_the_reader_s_language() -> None:
    say("createJob", revisit())
    job = Job.objects.get()

    with translation.override("de"):
        assert dict(fault_lines(job))["Störung"] == "Dienstausfall"
        assert fault_kind("Something new") == "Something new"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("LOS", "LOS"),
        ({"code": "NEW1", "currentStatus": "Odd"}, "NEW1 · Odd"),
        ({"code": "AOK001", "ont": "Sideways", "cfm": 7}, None),
        ({"code": {"nested": 1}}, "code nested 1"),
        ([1, "two"], "1, two"),
    ],
)
def test_last_diagnostics_in_any_form_can_be_read(found: object, text: str | None) -> None:
    say("createJob", revisit(lastDiagnostics=found))

    read = dict(fault_lines(Job.objects.get()))["Last line check"]
    assert read == text if text else read.startswith("AOK001 · The line works")


def test_same_pack_in_another_message_is_the_same_job() -> None:
    first, again = say("createJob", revisit()), say("createJob", revisit())

    assert first.status == again.status == 200
    assert first.body["providerJobId"] == again.body["providerJobId"]
    assert Job.objects.get().fault["access"] == "Key at number 14"


@pytest.mark.parametrize(
    "change",
    [{"description": "Other"}, {"lastDiagnostics": {"code": "DYG001"}}, {"access": ""}, {"files": []}],
    ids=lambda change: next(iter(change)),
)
def test_another_story_is_another_pack(change: dict[str, object]) -> None:
    say("createJob", revisit())

    assert faultcode(say("createJob", revisit(**change))) == (409, "duplicateJob")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"buyerFaultReference": 5}, "/fault/buyerFaultReference"),
        ({"maintainerFaultReference": []}, "/fault/maintainerFaultReference"),
        ({"faultType": {}}, "/fault/faultType"),
        ({"description": True}, "/fault/description"),
        ({"access": 1}, "/fault/access"),
        ({"faultStartTime": "yesterday"}, "/fault/faultStartTime"),
        ({"faultStartTime": "2026-11-20T21:15:00"}, "/fault/faultStartTime"),
        ({"triageFindings": "ONT down"}, "/fault/triageFindings"),
        ({"files": {}}, "/fault/files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_member_is_refused_by_its_path(change: dict[str, object], field: str) -> None:
    answer = say("createJob", revisit(**change))

    assert (faultcode(answer), fields(answer)) == ((422, "invalidMessage"), [field])
    assert not Job.objects.exists()


def test_fault_that_is_no_object_is_refused() -> None:
    answer = say("createJob", message("createJob", jobType="revisit", fault="no light"))

    assert fields(answer) == ["/fault"]


def test_unknown_member_is_kept_with_the_message_and_ignored() -> None:
    answer = say("createJob", revisit(ticketColour="blue"))

    assert answer.status == 200
    assert "blue" in str(InboundMessage.objects.get().body)
    assert "blue" not in str(Job.objects.get().fault)
