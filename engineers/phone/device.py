"""The pages of the ONT: reading its label, and waiting for the seller."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from dispatch import scans
from dispatch.models import Job
from dispatch.problems import Problem
from dispatch.states import JobType
from engineers.phone import instructions, steps
from engineers.phone.instructions import Instruction
from engineers.phone.pages import Fact, Head, expected_ont, head_of, phone_url
from engineers.phone.steps import url_of
from engineers.phone.trail import NOWHERE_ELSE, Trail


@dataclass(frozen=True)
class ScanPage:
    head: Head
    check_url: str
    scan_id: str
    fsan: str
    serial_number: str
    expected: list[Fact]
    asks_about_duplicate: bool
    leave_alone_url: str


def scan_page(
    job: Job, *, trail: Trail, problems: list[Problem] | None = None, entered: dict[str, str] | None = None
) -> ScanPage:
    entered, problems = entered or {}, problems or []
    return ScanPage(
        head=head_of(job, trail=trail, problems=problems),
        check_url=url_of(job, "ont_check"),
        scan_id=str(uuid.uuid4()),
        fsan=entered.get("fsan", ""),
        serial_number=entered.get("serial_number", ""),
        expected=expected_ont(job),
        asks_about_duplicate=any(problem.code == "duplicate_device" for problem in problems),
        leave_alone_url=_first_work_url(job) if job.job_type == JobType.REVISIT else "",
    )


def _first_work_url(job: Job, trail: Trail = NOWHERE_ELSE) -> str:
    question = steps.first_work_question(job)
    return trail.url(job, "question", code=question.code) if question else ""


@dataclass(frozen=True)
class ProvisioningPage:
    head: Head
    advice: Instruction | None
    advice_icon: str
    fsan: str
    until: datetime | None
    until_iso: str
    call_url: str
    call_words: str
    scan_url: str
    scan_is_main: bool
    meanwhile_url: str
    go_on_url: str


def provisioning_page(job: Job) -> ProvisioningPage:
    advice, scan = instructions.instruction(job), scans.newest_scan(job)
    provisioned = scans.is_provisioned(job)
    return ProvisioningPage(
        head=head_of(job),
        advice=advice,
        advice_icon=advice_icon(advice),
        fsan=instructions.grouped(scan.fsan) if scan else "",
        until=advice.until if advice else None,
        until_iso=advice.until.isoformat() if advice and advice.until else "",
        call_url=phone_url(advice.call) if advice else "",
        call_words=advice.call if advice else "",
        scan_url="" if provisioned else url_of(job, "scan"),
        scan_is_main=scan is None or bool(advice and advice.scan_again),
        meanwhile_url="" if provisioned or scan is None else _first_work_url(job, Trail(meanwhile=True)),
        go_on_url=url_of(job, "next") if provisioned else "",
    )


def advice_icon(advice: Instruction | None) -> str:
    icons = {"good": "check", "calm": "clock", "warning": "clock", "alarm": "warning"}
    return icons[advice.tone] if advice else "scan"
