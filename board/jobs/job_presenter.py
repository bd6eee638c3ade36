"""The page of one job: what is urgent, the pack, who attended, the history, the evidence, the messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Prefetch, prefetch_related_objects
from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import EventLine, event_lines
from board.jobs import attendance_presenter, evidence_presenter
from board.jobs.answer_presenter import AnswerLine, answer_lines
from board.jobs.attendance_presenter import PositionLine, VisitLine
from board.jobs.evidence_presenter import ClosureLine, PhotoLine, ReusedLine, ScanLine
from board.jobs.job_pack_groups import Group, PackField, fault_story, pack_groups
from board.jobs.job_panel import ContactView, Panel, build_panel, contact_view
from board.jobs.note_lines import NotesView, notes_view
from board.jobs.review import ReviewView, review_view
from board.jobs.search import JobLine, job_lines
from board.jobs.urgent_presenter import UrgentLine, urgent_lines
from board.messages import job_messages
from board.messages.job_messages import JobMessages, MessageLine
from closures import closing
from closures.models import Answer, Closure, Photo
from closures.position_proofs import lacks_position
from closures.question_matrix.translations import name_for_reader
from dispatch.driving import travel
from dispatch.locations import location_version
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind, JobState, is_legal

MAX_RELATED = 20


@dataclass(frozen=True)
class MapView:
    """What the map needs; `latitude` and `longitude` empty while nobody knows the place. `version`: that of
    dispatch.locations."""

    version: str
    latitude: str
    longitude: str
    text: str
    tiles_url: str
    attribution: str
    can_locate: bool
    can_look_up: bool


@dataclass(frozen=True)
class HistoryEntry:
    """One event, and the message that reports it to the seller (None: it is not reported)."""

    event: EventLine
    message: MessageLine | None


@dataclass(frozen=True)
class CodeChoice:
    """A way to close without a visit."""

    code: str
    text: str


@dataclass(frozen=True)
class ContentsLine:
    """A section in the table of contents; `count` None where nothing is counted."""

    anchor: str
    title: str
    count: int | None = None
    is_urgent: bool = False


@dataclass(frozen=True)
class JobPage:
    head: Panel
    urgent: list[UrgentLine]
    story: list[PackField]
    groups: list[Group]
    map: MapView
    contact: ContactView
    visits: list[VisitLine]
    positions: list[PositionLine]
    earlier: list[JobLine]
    later: list[JobLine]
    history: list[HistoryEntry]
    scans: list[ScanLine]
    answers: list[AnswerLine]
    photos: list[PhotoLine]
    photos_answered: int
    photos_stored: int
    reused: list[ReusedLine]
    closure: ClosureLine | None
    closing: list[CodeChoice]
    review: ReviewView | None
    messages: JobMessages
    notes: NotesView

    @property
    def contents(self) -> list[ContentsLine]:
        """The sections in the order of the page."""
        return list(_contents(self))


def _contents(page: JobPage) -> Iterator[ContentsLine]:
    if page.urgent:
        yield ContentsLine("urgent", _("Needs attention"), len(page.urgent), is_urgent=True)
    if page.review:
        yield ContentsLine("review", _("Review"), is_urgent=True)
    yield ContentsLine("job", _("Job details"))
    if page.head.line:
        yield ContentsLine("line", _("State of the line"))
    if page.story:
        yield ContentsLine("fault", _("Fault report"))
    if page.closure:
        yield ContentsLine("closure", _("Outcome"))
    yield ContentsLine("people", _("People"), len(page.visits))
    yield ContentsLine("notes", _("Notes and calls"), len(page.notes.lines))
    yield ContentsLine("place", _("Location"), len(page.positions))
    if not page.head.assignment.is_empty:
        yield ContentsLine("appointment", _("Appointment"))
    yield ContentsLine("pack", _("Job pack"))
    yield ContentsLine("scans", _("ONT scans"), len(page.scans))
    yield ContentsLine("answers", _("Answers"), len(page.answers))
    yield ContentsLine("photos", _("Photos"), len(page.photos))
    if page.reused:
        yield ContentsLine("reused", _("Photos on other jobs"), len(page.reused), is_urgent=True)
    yield ContentsLine("history", _("History"), len(page.history))
    yield ContentsLine("related", _("Related jobs"), len(page.earlier) + len(page.later))
    yield ContentsLine("messages", _("Messages"), page.messages.number)


def build_job_page(job: Job, *, now: datetime, with_unfit: bool = False) -> JobPage:
    prefetch_related_objects(
        [job],
        Prefetch("events", JobEvent.objects.select_related("user")),
        Prefetch("answers", Answer.objects.select_related("by__user")),
    )
    events = list(job.events.all())
    messages = job_messages.list_job_messages(job)
    pictures = list(Photo.objects.filter(job=job).select_related("by__user"))
    related = list(Job.objects.same_premises(job).in_scope()[:MAX_RELATED])
    related_lines = list(zip(related, job_lines(related), strict=True))
    positions = attendance_presenter.position_lines(job, events)
    answers = answer_lines(job)
    photos = evidence_presenter.photo_lines(job, pictures)
    reused = evidence_presenter.reused_lines(job, pictures)
    head = build_panel(job, now=now, with_unfit=with_unfit)
    closure = Closure.objects.filter(job=job).first()
    return JobPage(
        head=head,
        urgent=urgent_lines(
            head,
            positions=positions,
            messages=messages.lines,
            events=events,
            unproved=closure if closure and lacks_position(job, closure) else None,
            reused=reused,
        ),
        story=fault_story(job),
        groups=pack_groups(job),
        map=_map(job),
        contact=contact_view(job),
        visits=attendance_presenter.visit_lines(job),
        positions=positions,
        earlier=[line for other, line in related_lines if other.window_start <= job.window_start],
        later=[line for other, line in related_lines if other.window_start > job.window_start],
        history=_history(job, events, messages.lines),
        scans=evidence_presenter.scan_lines(job),
        answers=answers,
        photos=photos,
        photos_answered=sum(photo.is_answered for photo in photos),
        photos_stored=sum(bool(photo.url) for photo in photos if photo.is_answered),
        reused=reused,
        closure=evidence_presenter.closure_line(closure) if closure else None,
        closing=_closing(job),
        review=review_view(job, answers, photos),
        messages=messages,
        notes=notes_view(events),
    )


def _history(job: Job, events: list[JobEvent], messages: Sequence[MessageLine]) -> list[HistoryEntry]:
    reports = {message.event_pk: message for message in messages if message.event_pk is not None}
    lines = event_lines(events, premises=travel.job_coordinates(job))
    return [HistoryEntry(line, reports.get(line.event_pk)) for line in lines]


def _map(job: Job) -> MapView:
    position = travel.job_coordinates(job)
    return MapView(
        version=location_version(job),
        latitude=str(position[0]) if position else "",
        longitude=str(position[1]) if position else "",
        text=formatting.format_degrees(*position) if position else "",
        tiles_url=settings.MAP_TILES_URL,
        attribution=settings.MAP_TILES_ATTRIBUTION,
        can_locate=is_legal(EventKind.LOCATED, state=JobState(job.state)),
        can_look_up=bool(settings.GEOCODER),
    )


def _closing(job: Job) -> list[CodeChoice]:
    """The ways to close although nobody went; none once somebody is there."""
    if not is_legal(EventKind.CLOSED, state=JobState(job.state)) or job.state in {
        JobState.ON_SITE,
        JobState.IN_REVIEW,
    }:
        return []
    return [CodeChoice(code.code, name_for_reader(code.code)) for code in closing.office_closure_codes(job)]
