"""An engineer's visits, shifts and absences for a calendar application (RFC 5545), at a secret address.

A calendar may lie on any provider's servers: no customer's name, street or phone number is in it, only the postcode.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from icalendar import Calendar, Event

from dispatch.models import Visit
from dispatch.states import JobState, JobType
from engineers import calendar_feeds
from engineers.models import Engineer
from engineers.permissions import for_everyone
from engineers.shifts import TimeSpan, day_span, working_spans
from engineers.throttling import MINUTE, RateLimit, rate_limit_text
from phone.formatting import format_window

PAST, AHEAD = timedelta(days=14), timedelta(days=60)
READS = RateLimit("calendar_feed", 30)


@for_everyone
@require_safe
def calendar_feed(_request: HttpRequest, token: str) -> HttpResponse:
    """404 for an address that is unknown or revoked."""
    feed = calendar_feeds.find(token)
    if feed is None:
        raise Http404
    seconds = READS.seconds_to_wait(feed.engineer.user_id)
    if seconds:
        return HttpResponse(
            rate_limit_text(seconds),
            status=429,
            content_type="text/plain",
            headers={"Retry-After": str(MINUTE)},
        )
    calendar_feeds.note_read(feed)
    with translation.override(feed.engineer.user.language or settings.LANGUAGE_CODE):
        content = build_calendar(feed.engineer, now=timezone.now())
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="fibre-dispatch.ics"'
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


def build_calendar(engineer: Engineer, *, now: datetime) -> bytes:
    """From PAST to AHEAD; four queries."""
    today = timezone.localtime(now).date()
    days = [today - PAST + timedelta(days=offset) for offset in range((PAST + AHEAD).days)]
    calendar = Calendar()
    calendar.add("prodid", "-//Fibre dispatch//Visits//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("Fibre dispatch: %(name)s") % {"name": engineer.name})
    for event in _events(engineer, days):
        event.add("dtstamp", now.astimezone(UTC))
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def _events(engineer: Engineer, days: list[date]) -> Iterator[Event]:
    span = TimeSpan(day_span(days[0]).start, day_span(days[-1]).end)
    absences = list(engineer.absences.overlapping(start=span.start, end=span.end))
    for visit in _visits(engineer, span):
        yield _visit_event(visit, engineer)
    for absence in absences:
        window = TimeSpan(absence.starts_at, absence.ends_at)
        yield _event(f"absence-{absence.pk}", _("Absent"), window)
    shifts, exceptions = list(engineer.shifts.all()), list(engineer.shift_exceptions.all())
    for day in days:
        worked = working_spans(shifts=shifts, exceptions=exceptions, absences=absences, day=day)
        for number, window in enumerate(worked):
            event = _event(f"shift-{engineer.pk}-{day}-{number}", _("Shift"), window)
            # a shift does not fill the time in which visits stand
            event.add("transp", "TRANSPARENT")
            yield event


def _visits(engineer: Engineer, span: TimeSpan) -> Iterator[Visit]:
    visits = Visit.objects.active().attended_by([engineer]).overlapping(span)
    planned = visits.exclude(job__state=JobState.CANCELLED).order_by("planned_start")
    return iter(planned.select_related("job", "engineer__user", "second_engineer__user"))


def _visit_event(visit: Visit, engineer: Engineer) -> Event:
    job, colleague = visit.job, visit.colleague_of(engineer)
    title = f"{JobType(job.job_type).label} {job.postcode}".strip()
    event = _event(f"visit-{visit.pk}", title, TimeSpan(visit.planned_start, visit.planned_end))
    if job.postcode:
        event.add("location", job.postcode)
    text = _("Job %(number)s. Customer's window: %(window)s.")
    lines = [text % {"number": job.provider_job_id, "window": format_window(job)}]
    if colleague:
        is_second = visit.second_engineer_id == engineer.pk
        team = _("You accompany %(engineer)s.") if is_second else _("%(engineer)s accompanies you.")
        lines.append(team % {"engineer": colleague.name})
    event.add("description", " ".join(lines))
    event.add("url", f"{settings.PUBLIC_URL}{reverse('phone:job', args=[job.provider_job_id])}")
    return event


def _event(name: str, title: str, span: TimeSpan) -> Event:
    """`name` is stable, so that a calendar moves an event instead of adding another."""
    event = Event()
    event.add("uid", f"{name}@{urlsplit(settings.PUBLIC_URL).hostname}")
    event.add("summary", title)
    event.add("dtstart", span.start.astimezone(UTC))
    event.add("dtend", span.end.astimezone(UTC))
    return event
