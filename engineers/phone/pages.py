"""What the pages of a job print: frozen values, made here, so that templates compute nothing."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from closures.models import Closure
from dispatch import skills
from dispatch.models import Job, Visit
from dispatch.problems import Problem
from dispatch.skills import Flag
from dispatch.states import EventKind, JobState
from engineers.phone import instructions, steps, words
from engineers.phone.pulse import version_of
from engineers.phone.steps import Progress, Step, url_of
from engineers.phone.trail import NOWHERE_ELSE, ProblemLine, Trail, problem_lines
from engineers.phone.words import Look


@dataclass(frozen=True)
class Head:
    """What stands around every step: whose job, where, what is wrong, and where the form goes on to."""

    job_id: str
    kind: str
    address: str
    job_url: str
    back_url: str
    next_url: str
    cant_complete_url: str
    pulse_url: str
    version: str
    message_id: str
    trail_query: str
    trail_words: str
    problems: list[ProblemLine]
    warnings: list[ProblemLine]

    @property
    def is_refused(self) -> bool:
        return bool(self.problems)


def head_of(
    job: Job, *, trail: Trail = NOWHERE_ELSE, problems: list[Problem] | None = None, back: str = ""
) -> Head:
    lines = problem_lines(job, problems or [], trail)
    return Head(
        job_id=job.provider_job_id,
        kind=job.get_job_type_display(),
        address=words.short_address(job),
        job_url=url_of(job, "job"),
        back_url=back or url_of(job, "job"),
        next_url=trail.url(job, "next"),
        cant_complete_url=url_of(job, "cant_complete"),
        pulse_url=url_of(job, "pulse"),
        version=version_of(job),
        message_id=str(uuid.uuid4()),
        trail_query=trail.query,
        trail_words=trail.words,
        problems=[line for line in lines if line.blocks],
        warnings=[line for line in lines if not line.blocks],
    )


@dataclass(frozen=True)
class Fact:
    name: str
    value: str
    is_code: bool = False


@dataclass(frozen=True)
class Caution:
    """Something to know before the door: an icon, a word and the seller's text."""

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
class Ended:
    """The card of a job that nobody waits for any more."""

    slug: str
    icon: str
    title: str
    text: str


@dataclass(frozen=True)
class JobFacts:
    """What is told of a job wherever it is shown: on its page, and to the phone that draws it (carry.py)."""

    window: str
    planned: str
    address_lines: list[str]
    call_url: str
    message_url: str
    navigate_url: str
    contact: list[Fact]
    cautions: list[Caution]
    flags: list[Flag]
    work: list[Fact]
    expected_ont: list[Fact]
    network: list[Fact]
    earlier: list[EarlierVisit]
    ended: Ended | None


@dataclass(frozen=True)
class JobPage(JobFacts):
    head: Head
    look: Look
    progress: Progress | None
    step: Step | None


def job_page(job: Job) -> JobPage:
    closure = closure_of(job)
    return JobPage(
        **vars(job_facts(job, visit=job.visits.standing().first())),
        head=head_of(job, back=_day_url()),
        look=words.look_of(job, closure_code=closure.code if closure else ""),
        progress=steps.progress(job) if job.state == JobState.ON_SITE else None,
        step=steps.next_step(job),
    )


def job_facts(job: Job, *, visit: Visit | None) -> JobFacts:
    return JobFacts(
        window=f"{words.day_words(words.local_day(job.window_start))}, {words.window_words(job)}",
        planned=words.span_words(visit.planned_start, visit.planned_end) if visit else "",
        address_lines=[*job.address_lines, *filter(None, [job.town, job.postcode])],
        call_url=phone_url(job.contact_phone),
        message_url=phone_url(job.contact_phone, scheme="sms"),
        navigate_url=navigate_url(job),
        contact=_facts((_("Name"), job.contact_name), (_("Telephone"), job.contact_phone)),
        cautions=cautions_of(job),
        flags=[skills.flag(code) for code in job.flags],
        work=_work(job),
        expected_ont=expected_ont(job),
        network=_network(job.network),
        earlier=_earlier(job),
        ended=_ended(job, closure_of(job)),
    )


def closure_of(job: Job) -> Closure | None:
    """Asked of the database once for each job at most."""
    return getattr(job, "closure", None)


def _day_url() -> str:
    return reverse("phone:day")


def phone_url(number: str, *, scheme: str = "tel") -> str:
    dialled = "".join(letter for letter in number if letter.isdigit() or letter == "+")
    return f"{scheme}:{dialled}" if dialled else ""


def navigate_url(job: Job) -> str:
    """Opens the phone's own navigation on both kinds of phone; empty while nobody knows the place."""
    if job.needs_location:
        return ""
    return f"https://www.google.com/maps/dir/?api=1&destination={job.latitude:.6f},{job.longitude:.6f}"


def cautions_of(job: Job) -> list[Caution]:
    """Hazards, access and notes: read before driving and again at the door."""
    return [
        caution
        for caution in (
            Caution("warning", _("Hazards"), job.hazards, "alarm"),
            Caution("lock", _("Access"), job.access_restrictions),
            Caution("info", _("Notes"), job.site_notes, "calm"),
        )
        if caution.text
    ]


def _facts(*pairs: tuple[str, str], is_code: bool = False) -> list[Fact]:
    return [Fact(name, value, is_code) for name, value in pairs if value]


def _work(job: Job) -> list[Fact]:
    return _facts(
        (_("Product"), job.product_name),
        (_("Line profile"), job.line_profile),
        (_("ONT goes"), job.preferred_ont_location),
        (_("Property"), job.classification),
        (_("UPRN"), job.uprn),
        (_("Order"), job.buyer_order_reference or job.seller_order_reference),
    )


def expected_ont(job: Job) -> list[Fact]:
    device = " ".join(filter(None, [job.ont_vendor, job.ont_model]))
    return [
        *_facts((_("Device"), device)),
        *_facts(
            (_("FSAN"), instructions.grouped(job.ont_fsan)),
            (_("Serial number"), job.ont_serial_number),
            is_code=True,
        ),
    ]


def _network(network: dict[str, Any]) -> list[Fact]:
    """As it came: the contract leaves these members to the seller."""
    return [Fact(str(name), _flat(value)) for name, value in network.items()]


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_flat(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_flat, value))
    return str(value)


def _earlier(job: Job) -> list[EarlierVisit]:
    """What happened here before; how, never by whom."""
    before = Job.objects.same_premises(job).filter(window_start__lt=job.window_start)
    others = before.select_related("closure")[:5]
    return [
        EarlierVisit(
            words.day_words(words.local_day(other.window_start)), other.get_job_type_display(), _how(other)
        )
        for other in others
    ]


def _how(job: Job) -> str:
    closure = closure_of(job)
    if closure is None:
        return str(job.get_state_display())
    return " · ".join(filter(None, [closure.description, closure.secondary_description, closure.remarks]))


def _ended(job: Job, closure: Closure | None) -> Ended | None:
    if job.state == JobState.CANCELLED:
        event = job.events.filter(kind=EventKind.CANCELLED).last()
        reason = str(event.facts.get("reason", "")) if event else ""
        text = _("You need not go there. If you are there already, call the office.")
        return Ended("cancelled", "x", _("Cancelled by the seller"), f"{reason} {text}".strip())
    if closure is None:
        return None
    how = " · ".join(filter(None, [closure.code, closure.description, closure.secondary_description]))
    at = words.moment_words(closure.closed_at)
    look = words.look_of(job, closure_code=closure.code)
    return Ended(look.slug, look.icon, _("Closed %(at)s") % {"at": at}, how)


@dataclass(frozen=True)
class WayPage:
    """Setting off and arriving: what must not be missed, then one tap."""

    head: Head
    window: str
    address_lines: list[str]
    cautions: list[Caution]
    flags: list[Flag]
    call_url: str
    navigate_url: str
    already_there_url: str = ""


def travel_page(job: Job, *, problems: list[Problem] | None = None) -> WayPage:
    return _way(job, head_of(job, problems=problems), already_there_url=url_of(job, "arrive"))


def arrive_page(job: Job, *, trail: Trail, problems: list[Problem] | None = None) -> WayPage:
    return _way(job, head_of(job, trail=trail, problems=problems))


def _way(job: Job, head: Head, *, already_there_url: str = "") -> WayPage:
    return WayPage(
        head=head,
        window=words.window_words(job),
        address_lines=[*job.address_lines, *filter(None, [job.town, job.postcode])],
        cautions=cautions_of(job),
        flags=[skills.flag(code) for code in job.flags],
        call_url=phone_url(job.contact_phone),
        navigate_url=navigate_url(job),
        already_there_url=already_there_url,
    )
