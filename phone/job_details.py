"""What day.json has of a job for its page, in the site's language, and the kit of the day."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from closures import codes
from closures.models import Closure
from closures.question_matrix.translations import text_for_reader
from dispatch import job_pack, skills
from dispatch.job_pack import classification_text, fault_lines, format_free_value
from dispatch.kit_list import build_kit_list
from dispatch.models import SAME_PREMISES, Job, Visit
from dispatch.requirements import list_requirements
from dispatch.seller_codes import cancellation_text
from dispatch.skills import Flag
from dispatch.states import EventKind, JobState
from engineers.location_history import navigation_link
from engineers.moment_texts import format_span_with_day
from engineers.phone_urls import phone_url
from phone import formatting, provisioning_advice


@dataclass(frozen=True)
class JobDetail:
    name: str
    value: str
    is_code: bool = False


@dataclass(frozen=True)
class Caution:
    """Something to know before arrival: an icon, a title and the seller's text."""

    icon: str
    title: str
    text: str
    slug: str = "warning"


@dataclass(frozen=True)
class EarlierVisit:
    day: str
    kind: str
    how: str


@dataclass(frozen=True)
class JobOutcome:
    """The card of a job that nobody waits for any more; screens/components.js of the phone has the same looks."""

    slug: str
    icon: str
    title: str
    text: str


@dataclass(frozen=True)
class JobFacts:
    """All of it, in the order of the page."""

    window: str
    planned: str
    address_lines: list[str]
    call_url: str
    message_url: str
    navigate_url: str
    contact: list[JobDetail]
    cautions: list[Caution]
    flags: list[Flag]
    work: list[JobDetail]
    fault: list[JobDetail]
    expected_ont: list[JobDetail]
    network: list[JobDetail]
    earlier: list[EarlierVisit]
    ended: JobOutcome | None


def build_job_facts(job: Job, *, visit: Visit | None, earlier: Sequence[Job]) -> JobFacts:
    """`earlier`: other jobs at these premises (earlier_jobs), newest first."""
    return JobFacts(
        window=format_span_with_day(job.window),
        planned=formatting.format_span(visit.planned_start, visit.planned_end) if visit else "",
        address_lines=[*job.address_lines, *filter(None, [job.town, job.postcode])],
        call_url=phone_url(job.contact_phone),
        message_url=phone_url(job.contact_phone, scheme="sms"),
        navigate_url=navigate_url(job),
        contact=_facts((_("Name"), job.contact_name), (_("Phone number"), job.contact_phone)),
        cautions=_cautions(job),
        flags=[skills.find_flag(code) for code in job.flags],
        work=_work(job),
        fault=_facts(*fault_lines(job)),
        expected_ont=_expected_ont(job),
        network=_network(job.network),
        earlier=[_earlier(other) for other in earlier],
        ended=_ended(job, closure_of(job)),
    )


def closure_of(job: Job) -> Closure | None:
    """Asked of the database once for each job at most."""
    return getattr(job, "closure", None)


def navigate_url(job: Job) -> str:
    """Opens the phone's own navigation on both kinds of phone; empty while nobody knows the place."""
    if job.latitude is None or job.longitude is None:
        return ""
    return navigation_link(job.latitude, job.longitude)


def _cautions(job: Job) -> list[Caution]:
    """Hazards, access and notes: read before driving and again on arrival."""
    return [
        caution
        for caution in (
            Caution("warning", _("Hazards"), job.hazards, "alarm"),
            Caution("lock", _("Access"), job.access_restrictions),
            Caution("info", _("Notes"), job.site_notes, "calm"),
        )
        if caution.text
    ]


def _facts(*pairs: tuple[str, str], is_code: bool = False) -> list[JobDetail]:
    return [JobDetail(name, value, is_code) for name, value in pairs if value]


def _work(job: Job) -> list[JobDetail]:
    return _facts(
        (_("Product"), job.product_name),
        (_("Line profile"), job.line_profile),
        (_("ONT location"), job.preferred_ont_location),
        (_("Property"), classification_text(job)),
        (_("UPRN"), job.uprn),
        (_("Order"), job.buyer_order_reference or job.seller_order_reference),
        (_("Follows our job"), job.previous_provider_job_id),
    )


def _expected_ont(job: Job) -> list[JobDetail]:
    device = " ".join(filter(None, [job.ont_vendor, job.ont_model]))
    return [
        *_facts((_("Device"), device)),
        *_facts(
            (_("FSAN"), provisioning_advice.group_digits(job.ont_fsan)),
            (_("Serial number"), job.ont_serial_number),
            is_code=True,
        ),
    ]


def _network(network: dict[str, Any]) -> list[JobDetail]:
    """As it came: the contract leaves these members to the seller."""
    return [
        JobDetail(job_pack.network_label(str(name)), format_free_value(value))
        for name, value in network.items()
    ]


def _earlier(other: Job) -> EarlierVisit:
    """What happened here before; how, never by whom."""
    day = formatting.format_day(formatting.local_day(other.window_start))
    return EarlierVisit(day, other.get_job_type_display(), _how(other))


def _how(job: Job) -> str:
    closure = closure_of(job)
    if closure is None:
        return str(job.get_state_display())
    return " · ".join(filter(None, [*_reasons(closure), closure.remarks]))


def _reasons(closure: Closure) -> list[str]:
    """The outcome and its second code in the reader's language."""
    return [text_for_reader(text) for text in (closure.description, closure.secondary_description)]


def _sentence(text: str) -> str:
    """With its full stop, whoever wrote it."""
    return text if not text or text[-1] in ".!?" else f"{text}."


def _ended(job: Job, closure: Closure | None) -> JobOutcome | None:
    if job.state == JobState.CANCELLED:
        cancellation = next((event for event in job.events.all() if event.kind == EventKind.CANCELLED), None)
        reason = cancellation_text(cancellation.facts) if cancellation else ""
        text = _("You don't need to attend. If you're already there, call the office.")
        return JobOutcome(
            "cancelled", "x", _("Cancelled by the seller"), f"{_sentence(reason)} {text}".strip()
        )
    if closure is None:
        return None
    how = " · ".join(filter(None, [closure.code, *_reasons(closure)]))
    at = formatting.format_moment(closure.closed_at)
    if job.state == JobState.IN_REVIEW:
        text = _(
            "The office checks the closure before it is sent. You will see here if something is sent back."
        )
        return JobOutcome("closed", "check-bar", _("Closed %(at)s") % {"at": at}, f"{how}. {text}")
    slug, icon = ("done", "check") if codes.find_code(closure.code).succeeds else ("closed", "check-bar")
    return JobOutcome(slug, icon, _("Closed %(at)s") % {"at": at}, how)


def earlier_jobs(jobs: Sequence[Job], *, most: int = 5) -> dict[int, list[Job]]:
    """Key of each of `jobs` → at most `most` jobs at its premises before it, newest first, with their closures; one
    query for all."""
    if not jobs:
        return {}
    others = list(Job.objects.at_premises_of(jobs).select_related("closure")[: 100 * len(jobs)])
    return {job.pk: [other for other in others if _was_there_before(other, job)][:most] for job in jobs}


def _was_there_before(other: Job, job: Job) -> bool:
    is_same = any(
        getattr(job, name) and getattr(job, name) == getattr(other, theirs)
        for name, theirs in SAME_PREMISES.items()
    )
    return is_same and other.pk != job.pk and other.window_start < job.window_start


def serialize_kit(jobs: Iterable[Job]) -> list[dict[str, str]]:
    """`[{"text", "places"}]` for these jobs in their order; at most two queries."""
    jobs = list(jobs)
    items = build_kit_list(jobs, list_requirements(jobs))
    return [{"text": item.text, "places": ", ".join(job.title for job in item.jobs)} for item in items]
