"""The page of one job: the pack, the place, the history, the evidence, the messages."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from board import formatting
from board.day.job_pack_groups import Group, pack_groups
from board.event_descriptions import EventLine, event_lines, result_words
from board.jobs.job_panel import Panel, build_panel
from board.jobs.search import JobLine, job_lines
from board.messages import job_messages
from board.messages.job_messages import MessageLine
from closures import closing, evidence
from closures.models import Answer, Closure, Photo
from dispatch.models import Job, OntScan
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Engineer


@dataclass(frozen=True)
class MapView:
    """What the map needs; `latitude` and `longitude` empty while nobody knows the place."""

    latitude: str
    longitude: str
    words: str
    tiles_url: str
    attribution: str
    can_locate: bool
    can_look_up: bool


@dataclass(frozen=True)
class ScanLine:
    fsan: str
    serial_number: str
    how: str
    at: str
    results: list[str]


@dataclass(frozen=True)
class AnswerLine:
    """`by` is who gave it; `before` tells of answers to the same question that it replaced."""

    code: str
    question: str
    answer: str
    at: str
    by: str
    before: list[str]


@dataclass(frozen=True)
class PhotoLine:
    """Both addresses are empty while the phone has announced the photo and it has not arrived."""

    question_code: str
    url: str
    small_url: str
    at: str
    fingerprint: str
    source: str
    doubts: str
    remarks: list[str]
    by: str


@dataclass(frozen=True)
class ClosureLine:
    code: str
    description: str
    secondary: str
    remarks: str
    by: str
    at: str
    recorded: str


@dataclass(frozen=True)
class CodeChoice:
    """A way to close without a visit."""

    code: str
    words: str


@dataclass(frozen=True)
class JobPage:
    head: Panel
    groups: list[Group]
    map: MapView
    earlier: list[JobLine]
    history: list[EventLine]
    scans: list[ScanLine]
    answers: list[AnswerLine]
    photos: list[PhotoLine]
    photos_stored: int
    closure: ClosureLine | None
    closing: list[CodeChoice]
    messages: list[MessageLine]


def build_job_page(job: Job, *, now: datetime) -> JobPage:
    taken = Photo.objects.filter(job=job).select_related("by__user")
    photos = [_photo_line(photo) for photo in taken]
    closure = Closure.objects.filter(job=job).first()
    return JobPage(
        head=build_panel(job, now=now),
        groups=pack_groups(job),
        map=_map(job),
        earlier=job_lines(Job.objects.same_premises(job)[:10]),
        history=event_lines(list(job.events.select_related("user"))),
        scans=_scan_lines(job),
        answers=_answer_lines(job),
        photos=photos,
        photos_stored=sum(bool(photo.url) for photo in photos),
        closure=_closure_line(closure) if closure else None,
        closing=_closing(job),
        messages=job_messages.list_job_messages(job),
    )


def _map(job: Job) -> MapView:
    known = not job.needs_location
    return MapView(
        latitude=str(job.latitude) if known else "",
        longitude=str(job.longitude) if known else "",
        words=f"{job.latitude:.5f}, {job.longitude:.5f}".replace("-", "−") if known else "",
        tiles_url=settings.MAP_TILES_URL,
        attribution=settings.MAP_TILES_ATTRIBUTION,
        can_locate=is_legal(EventKind.LOCATED, state=JobState(job.state)),
        can_look_up=bool(settings.GEOCODER),
    )


def _scan_lines(job: Job) -> list[ScanLine]:
    return [_scan_line(scan) for scan in job.scans.prefetch_related("results")]


def _scan_line(scan: OntScan) -> ScanLine:
    return ScanLine(
        fsan=scan.fsan,
        serial_number=scan.serial_number,
        how=scan.get_source_display(),
        at=formatting.format_exact_moment(scan.scanned_at),
        results=[
            f"{formatting.format_time(result.occurred_at)} {result_words(result.result_id, details=result.details)}"
            for result in scan.results.all()
        ],
    )


def _answer_lines(job: Job) -> list[AnswerLine]:
    given = list(Answer.objects.filter(job=job).select_related("by__user"))
    before: dict[str, list[str]] = {}
    for answer in given:
        if answer.withdrawn_at:
            told = [answer.answer_text, _name(answer.by), formatting.format_exact_moment(answer.answered_at)]
            before.setdefault(answer.question_code, []).append(", ".join(filter(None, told)))
    standing = [answer for answer in given if answer.withdrawn_at is None]
    return [_answer_line(answer, before.get(answer.question_code, [])) for answer in standing]


def _answer_line(answer: Answer, before: list[str]) -> AnswerLine:
    at = formatting.format_exact_moment(answer.answered_at)
    return AnswerLine(
        answer.question_code, answer.question_text, answer.answer_text, at, _name(answer.by), before
    )


def _name(engineer: Engineer | None) -> str:
    return engineer.name if engineer else ""


def _photo_line(photo: Photo) -> PhotoLine:
    token = evidence.sign(photo) if photo.is_available else ""
    return PhotoLine(
        question_code=photo.question_code,
        url=reverse("evidence", args=[token]) if token else "",
        small_url=reverse("evidence_small", args=[token]) if token else "",
        at=formatting.format_exact_moment(photo.taken_at),
        fingerprint=(photo.stored_sha256 or photo.sha256)[:12],
        source=photo.get_source_display(),
        doubts=photo_warnings(photo),
        remarks=photo_notes(photo),
        by=_name(photo.by),
    )


def _closure_line(closure: Closure) -> ClosureLine:
    secondary = f"{closure.secondary_code} {closure.secondary_description}".strip()
    return ClosureLine(
        code=closure.code,
        description=closure.description,
        secondary=secondary,
        remarks=closure.remarks,
        by=closure.by_name,
        at=formatting.format_exact_moment(closure.closed_at),
        recorded=formatting.format_exact_moment(closure.recorded_at),
    )


def _closing(job: Job) -> list[CodeChoice]:
    """The ways to close although nobody went; none once somebody is there."""
    if not is_legal(EventKind.CLOSED, state=JobState(job.state)) or job.state == JobState.ON_SITE:
        return []
    return [
        CodeChoice(one.code, f"{one.in_trade_words} ({one.code})")
        for one in closing.office_closure_codes(job)
    ]


def photo_warnings(photo: Photo) -> str:
    """What the phone warned of; the engineer used it all the same. Empty for a good one."""
    words = {"blur": _("Blurry"), "dark": _("Very dark"), "unreadable": _("Label may be unreadable")}
    found = [word for name, word in words.items() if photo.checks.get(name)]
    if found and photo.checks.get("used_anyway"):
        found.append(_("kept anyway"))
    return ", ".join(found)


def photo_notes(photo: Photo) -> list[str]:
    """Drawn on, and by whom it was signed."""
    found = []
    if photo.original_sha256:
        original = {"fingerprint": photo.original_sha256[:12]}
        found.append(_("Annotated. Original: %(fingerprint)s") % original)
    if photo.signer:
        found.append(_("Signed by %(name)s") % {"name": photo.signer})
    return found
