"""Absences and single days that differ, on an engineer's page."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from board import formatting
from board.people.rota_forms import AbsenceForm, ExceptionForm
from board.people.views import engineer_or_404, show_engineer
from dispatch import attention
from dispatch.models import Visit
from dispatch.states import JobState
from engineers import rota
from engineers.input_values import read_number
from engineers.models import Absence, Right
from engineers.permissions import for_right, user_of
from engineers.shifts import TimeSpan


@for_right(Right.CHANGE_ROTA)
@require_POST
def add_absence(request: HttpRequest, pk: int) -> HttpResponse:
    found, form = engineer_or_404(pk), AbsenceForm(request.POST)
    if not form.is_valid():
        return show_engineer(request, pk, status=400, absence_form=form)
    data = form.cleaned_data
    absence = rota.add_absence(
        engineer=found,
        starts_at=data["starts_at"],
        ends_at=data["ends_at"],
        reason=data["reason"],
        by=user_of(request),
    )
    attention.watch_day()
    days = formatting.format_days(TimeSpan(absence.starts_at, absence.ends_at))
    messages.success(request, _("Absence added: %(days)s.") % {"days": days})
    _warn_of_visits(request, absence)
    return redirect("board:engineer", pk)


def _warn_of_visits(request: HttpRequest, absence: Absence) -> None:
    number = _open_visits(absence).count()
    if number:
        text = ngettext(
            "%(number)d visit is planned in this time. Reassign it on the board.",
            "%(number)d visits are planned in this time. Reassign them on the board.",
            number,
        )
        messages.warning(request, text % {"number": number})


def _open_visits(absence: Absence) -> QuerySet[Visit]:
    visits = Visit.objects.current().attended_by([absence.engineer_id])
    return visits.filter(planned_start__lt=absence.ends_at, planned_end__gt=absence.starts_at).exclude(
        job__state__in=[JobState.CLOSED, JobState.CANCELLED]
    )


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
    found, form = engineer_or_404(pk), ExceptionForm(request.POST)
    if not form.is_valid():
        return show_engineer(request, pk, status=400, exception_form=form)
    data = form.cleaned_data
    rota.set_exception(engineer=found, day=data["day"], hours=data["hours"], by=user_of(request))
    messages.success(request, _("The day was changed."))
    return redirect("board:engineer", pk)


@for_right(Right.CHANGE_ROTA)
@require_POST
def remove_exception(request: HttpRequest, pk: int) -> HttpResponse:
    found = engineer_or_404(pk)
    form = ExceptionForm({"day": request.POST.get("day", "")})
    if form.is_valid():
        rota.remove_exception(engineer=found, day=form.cleaned_data["day"], by=user_of(request))
        messages.success(request, _("The pattern counts again on that day."))
    return redirect("board:engineer", pk)
