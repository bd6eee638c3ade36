"""What the overview shows: the jobs, the queues, the switches. Templates only print it."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.console import text_formats
from seller_sandbox.console.clock import clock_page
from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.jobs import codes, provisioning, strictness
from seller_sandbox.jobs.models import Job, JobType, ProvisioningRule, RuleMode
from seller_sandbox.jobs.packs.odd import ODD_PACKS, OddPack
from seller_sandbox.messages.models import MessageLogEntry

JOBS_PER_PAGE = 100
MAX_ADDRESS_CHARACTERS = 120


@dataclass(frozen=True)
class JobRow:
    """One line of the jobs table."""

    seller_job_id: str
    provider_job_id: str
    job_type: str
    address: str
    day: str
    hours: str
    state: str
    state_label: str
    last_message: str
    closure: str
    breaches: str


@dataclass(frozen=True)
class CheckingPanel:
    """How strict the seller is."""

    is_strict: bool
    description: str
    positions_refused: bool
    uses_next_certificate: bool


@dataclass(frozen=True)
class EndpointPanel:
    """An endpoint and its switch."""

    name: str
    mode: str
    mode_label: str
    is_normal: bool
    seconds: str
    status: int
    per_minute: int


@dataclass(frozen=True)
class Overview:
    """The page."""

    jobs: Page
    rows: list[JobRow]
    endpoints: list[EndpointPanel]
    modes: list[tuple[str, str]]
    job_types: list[tuple[str, str]]
    rule: ProvisioningRule
    rule_modes: list[tuple[str, str]]
    plan_cycle: str
    results: list[codes.Result]
    day: str
    checking: CheckingPanel
    odd_packs: list[OddPack]
    clock_steps: tuple[tuple[int, str], ...]


def make_overview(*, page: str) -> Overview:
    """The jobs of this page, newest first, in a fixed number of queries."""
    jobs = Paginator(_jobs(), JOBS_PER_PAGE).get_page(page)
    rule = provisioning.rule()
    return Overview(
        jobs=jobs,
        rows=_rows(list(jobs)),
        endpoints=[_panel(name) for name in settings.ENDPOINTS],
        modes=Mode.choices,
        job_types=JobType.choices,
        rule=rule,
        rule_modes=RuleMode.choices,
        plan_cycle="; ".join(",".join(map(str, plan)) for plan in rule.plan_cycle),
        results=list(codes.results().values()),
        day=clock.today().isoformat(),
        checking=make_checking(),
        odd_packs=list(ODD_PACKS.values()),
        clock_steps=clock_page.STEPS,
    )


def _jobs() -> Any:
    last = MessageLogEntry.objects.filter(thread=OuterRef("thread")).order_by("-id").values("id")[:1]
    return Job.objects.with_breaches().annotate(last_entry=Subquery(last)).order_by("-id")


def _rows(jobs: list[Any]) -> list[JobRow]:
    related = MessageLogEntry.objects.select_related("inbound", "outbound")
    entries = related.in_bulk([job.last_entry for job in jobs if job.last_entry])
    return [_row(job, entries.get(job.last_entry)) for job in jobs]


def _row(job: Any, last: MessageLogEntry | None) -> JobRow:
    return JobRow(
        seller_job_id=job.seller_job_id,
        provider_job_id=job.provider_job_id,
        job_type=job.get_job_type_display(),
        address=text_formats.shortened(text_formats.address(job.pack), most=MAX_ADDRESS_CHARACTERS),
        day=text_formats.day_of(job.starts_at),
        hours=text_formats.hours(job.starts_at, job.ends_at),
        state=job.state,
        state_label=job.get_state_display(),
        last_message=_last_message(last) if last else "",
        closure=closure_text(job),
        breaches=text_formats.counted(job.breach_total, "breach", "breaches") if job.breach_total else "",
    )


def _last_message(entry: MessageLogEntry) -> str:
    message = entry.inbound or entry.outbound
    event = entry.inbound.event if entry.inbound else entry.outbound.members.get("event")
    arrow = "received" if entry.inbound else "sent"
    refused = entry.outbound and entry.status != 200
    outcome = f" ({entry.status or 'no answer'})" if refused else ""
    return f"{event or message.operation} {arrow} {text_formats.local(entry.at):%H:%M:%S}{outcome}"


def closure_text(job: Job) -> str:
    """`SP Service Provided`, with the secondary code behind it."""
    if not job.closure_code:
        return ""
    first = f"{job.closure_code} {codes.describe(job.closure_code)}"
    second = f"{job.secondary_code} {job.secondary_description}" if job.secondary_code else ""
    return " · ".join(filter(None, [first, second]))


def _panel(name: str) -> EndpointPanel:
    switch = switches.current(name)
    over = switch.remaining == 0 or (switch.until is not None and switch.until <= timezone.now())
    mode = Mode.NORMAL if over else Mode(switch.mode)
    extra = {
        Mode.SLOW: f" ({switch.seconds:g} s)",
        Mode.FAIL: f" ({switch.status})",
        Mode.LIMIT: f" ({switch.per_minute} a minute)",
    }.get(mode, "")
    left = (
        f", {text_formats.counted(switch.remaining, 'message', 'messages')} more" if switch.remaining else ""
    )
    return EndpointPanel(
        name=name,
        mode=mode.value,
        mode_label=f"{mode.label}{extra}{left}",
        is_normal=mode == Mode.NORMAL,
        seconds=f"{switch.seconds:g}",
        status=switch.status,
        per_minute=switch.per_minute,
    )


def make_checking() -> CheckingPanel:
    chosen = strictness.current()
    return CheckingPanel(
        is_strict=chosen.is_strict,
        description="Strict: a message that breaks the contract is refused"
        if chosen.is_strict
        else "Lenient: every readable message is taken, breaches are recorded",
        positions_refused=chosen.positions_refused,
        uses_next_certificate=credentials.uses_next(),
    )
