"""Absences and single days that differ, on an engineer's page."""

from collections.abc import Iterable
from datetime import date

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from board import formatting
from board.links import engineer_panel_url
from board.people.rota_forms import AbsenceForm, ExceptionForm, write_versions
from board.people.views import engineer_or_404, show_engineer
from dispatch import attention
from dispatch.models import Visit
from dispatch.states import JobState
from engineers import rota
from engineers.input_values import read_number
from engineers.models import Engineer, Right
from engineers.permissions import for_right, user_of
from engineers.rota import DayChanged
from engineers.shifts import TimeSpan, local_time, subtract, work_time_of


@for_right(Right.CHANGE_ROTA)
@require_POST
def add_absence(request: HttpRequest, pk: int) -> HttpResponse:
    found = engineer_or_404(pk)
    form = AbsenceForm(request.POST, engineer=found)
    if not form.is_valid():
        return show_engineer(request, pk, status=400, absence_form=form)
    data = form.cleaned_data
    span, by = TimeSpan(data["starts_at"], data["ends_at"]), user_of(request)
    try:
        is_new = rota.add_absence(
            engineer=found, starts_at=span.start, ends_at=span.end, reason=data["reason"], by=by
        )
    except rota.OtherReason as refusal:
        form.add_error("reason", str(refusal))
        return show_engineer(request, pk, status=409, absence_form=form)
    attention.watch_day()
    text = _("Absence added: %(days)s.") if is_new else _("This absence was entered before: %(days)s.")
    messages.success(request, text % {"days": formatting.format_days(span)})
    _warn_of_visits(request, found, [span])
    return redirect("board:engineer", pk)


def _warn_of_visits(request: HttpRequest, engineer: Engineer, away: Iterable[TimeSpan]) -> None:
    starts = {visit.pk: visit.planned_start for span in away for visit in _open_visits(engineer, span)}
    if number := len(starts):
        text = ngettext(
            "%(number)d visit is planned in this time. Reassign it on the board.",
            "%(number)d visits are planned in this time. Reassign them on the board.",
            number,
        )
        day = local_time(min(starts.values())).date().isoformat()
        url = engineer_panel_url(engineer.staff_number, day=day)
        link = format_html('{} <a href="{}">{}</a>', text % {"number": number}, url, _("Open on the board"))
        messages.warning(request, link)


def _open_visits(engineer: Engineer, span: TimeSpan) -> QuerySet[Visit]:
    visits = Visit.objects.current().attended_by([engineer]).overlapping(span)
    return visits.exclude(job__state__in=[JobState.CLOSED, JobState.CANCELLED])


@for_right(Right.CHANGE_ROTA)
@require_POST
def remove_absence(request: HttpRequest, pk: int) -> HttpResponse:
    found, absence_pk = engineer_or_404(pk), read_number(request.POST.get("absence"))
    if absence_pk is not None:
        rota.remove_absence(engineer=found, pk=absence_pk, by=user_of(request))
        attention.watch_day()
        messages.success(request, _("Absence removed."))
    return redirect("board:engineer", pk)


@for_right(Right.CHANGE_ROTA)
@require_POST
def set_exception(request: HttpRequest, pk: int) -> HttpResponse:
    """`seen` says what the page had of the day; what somebody has changed since is refused, and asked again."""
    found, form = engineer_or_404(pk), ExceptionForm(request.POST)
    if not form.is_valid():
        return show_engineer(request, pk, status=400, exception_form=form)
    data = form.cleaned_data
    day, before = data["day"], _attended(found, data["day"])
    try:
        rota.set_exception(
            engineer=found, day=day, hours=data["hours"], seen=form.seen_version, by=user_of(request)
        )
    except DayChanged as refusal:
        return show_engineer(request, pk, status=409, exception_form=_asked_again(found, form, refusal))
    messages.success(request, _("The day was changed."))
    _warn_of_lost_hours(request, found, day, before)
    return redirect("board:engineer", pk)


def _asked_again(engineer: Engineer, form: ExceptionForm, refusal: DayChanged) -> ExceptionForm:
    """With what was typed, and what is stored as seen: pressed again, it replaces that."""
    typed = {name: form[name].value() for name in form.fields}
    again = ExceptionForm({**typed, "seen": write_versions(engineer.shift_exceptions.all())})
    again.add_error("day", _changed_day_text(form.cleaned_data["day"], refusal))
    return again


def _changed_day_text(day: date, refusal: DayChanged) -> str:
    hours = {"": _("The pattern counts again on that day."), rota.DAY_OFF: _("Not working")}
    parameters = {
        "day": formatting.format_day(day),
        "hours": hours.get(refusal.stored, refusal.stored).rstrip("."),
    }
    entry = refusal.entry
    if entry is None or entry.actor is None:
        text = _("%(day)s has changed since you opened this page: %(hours)s. Check it, then try again.")
        return text % parameters
    text = _(
        "%(who)s changed %(day)s on %(when)s, after you opened this page: %(hours)s. Check it, then try again."
    )
    when = formatting.format_moment(entry.recorded_at)
    return text % {**parameters, "who": entry.actor.display_name, "when": when}


def _attended(engineer: Engineer, day: date) -> list[TimeSpan]:
    """Of the shift that begins on this day, in the night after it too, absent or not."""
    return work_time_of(engineer, days=[day], absences=()).attended


def _warn_of_lost_hours(
    request: HttpRequest, engineer: Engineer, day: date, before: Iterable[TimeSpan]
) -> None:
    """What is planned in hours of before that count no more is named, as with an absence."""
    attention.watch_day()
    now = _attended(engineer, day)
    _warn_of_visits(request, engineer, [lost for part in before for lost in subtract(part, now)])


@for_right(Right.CHANGE_ROTA)
@require_POST
def remove_exception(request: HttpRequest, pk: int) -> HttpResponse:
    found = engineer_or_404(pk)
    form = ExceptionForm({name: request.POST.get(name, "") for name in ("day", "seen")})
    if not form.is_valid():
        return redirect("board:engineer", pk)
    day = form.cleaned_data["day"]
    before = _attended(found, day)
    try:
        rota.remove_exception(engineer=found, day=day, seen=form.seen_version, by=user_of(request))
    except DayChanged as refusal:
        messages.error(request, _changed_day_text(day, refusal))
    else:
        messages.success(request, _("The pattern counts again on that day."))
        _warn_of_lost_hours(request, found, day, before)
    return redirect("board:engineer", pk)
