"""What a dispatcher does to an engineer's day or to several jobs at once: POST only; each row is told its result."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.day.forms import DayAbsenceForm, JobSelectionForm, SwapForm
from board.jobs.actions import dispatcher_of
from board.jobs.assignment_options import visit_text
from board.jobs.forms import problems_of
from board.jobs.responses import done_response, links_of_job, redirect_back, refusal_json, wants_json
from board.links import engineer_links, link_text
from dispatch import attention, reassignment
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.problems import Problem
from dispatch.reassignment import RowResult, SeenJob
from engineers.input_values import read_number
from engineers.models import Engineer, Right
from engineers.permissions import for_right
from engineers.shifts import TimeSpan
from engineers.throttling import RateLimit, rate_limited


def engineer_or_404(staff_number: str) -> Engineer:
    return get_object_or_404(
        Engineer.objects.active().in_scope().select_related("user"), staff_number=staff_number
    )


@for_right(Right.CHANGE_JOBS)
@require_POST
def mark_absent(request: HttpRequest, staff_number: str) -> HttpResponse:
    """Absent from `starts_at` to `ends_at` (local time), with a private `reason`; then the panel with the jobs that
    fall out. It can be undone."""
    engineer, form = engineer_or_404(staff_number), DayAbsenceForm(request.POST)
    if not form.is_valid():
        return _refused(request, problems_of(form), status=400)
    span = TimeSpan(form.cleaned_data["starts_at"], form.cleaned_data["ends_at"])
    reason, by = form.cleaned_data["reason"], dispatcher_of(request)
    plan_actions.mark_absent(engineer, span=span, reason=reason, by=by)
    attention.watch_day()
    return done_response(request, _panel_url(engineer, day=timezone.localdate(span.start).isoformat()))


@for_right(Right.CHANGE_JOBS)
@require_POST
def take_back_absence(request: HttpRequest, staff_number: str) -> HttpResponse:
    """What a dispatcher entered on the board by mistake: field `action`, and `day` for the panel to come back to."""
    engineer, key = engineer_or_404(staff_number), read_number(request.POST.get("action"))
    try:
        plan_actions.take_back_absence(key or 0, engineer=engineer, by=dispatcher_of(request))
    except plan_actions.NothingToUndo:
        messages.info(request, _("This absence was entered elsewhere or has gone. See People."))
    attention.watch_day()
    return done_response(request, _panel_url(engineer, day=request.POST.get("day", "")))


@for_right(Right.CHANGE_JOBS)
@require_POST
def swap_days(request: HttpRequest, staff_number: str) -> HttpResponse:
    """What two engineers have still to begin on a `day` goes from one to the other; fields as SwapForm has them."""
    engineer, form = engineer_or_404(staff_number), SwapForm(request.POST)
    if not form.is_valid():
        return _refused(request, problems_of(form), status=400)
    other, day = form.cleaned_data["other"], form.cleaned_data["day"]
    try:
        action = reassignment.swap_days(
            engineer, other, day=day, seen=form.cleaned_data["seen"], by=dispatcher_of(request)
        )
    except PlanRefused as refused:
        return _refused(request, _named_problems(refused))
    names = {"first": engineer.name, "second": other.name}
    done = _("%(first)s and %(second)s have swapped the rest of the day.")
    nothing = _("%(first)s and %(second)s have no visits left to swap on this day.")
    text = (done if action else nothing) % names
    messages.success(request, link_text(text, engineer_links(engineer.name, other.name)))
    return done_response(request, _panel_url(engineer, day=day.isoformat()))


def _named_problems(refused: PlanRefused) -> list[Problem]:
    return [
        Problem(problem.code, problem.where, f"{refusal.job.title}: {problem.message}")
        for refusal in refused.refusals
        for problem in refusal.problems
    ]


@for_right(Right.CHANGE_JOBS)
@rate_limited(RateLimit("bulk", 60))
@require_POST
def change_jobs(request: HttpRequest) -> HttpResponse:
    """Several jobs at once: fields `job` (`number|version`, repeated), `action` (reassign, unassign) and, to give them
    to one, `engineer`, one after another from `starts_at` if given. Answers with a result for each job."""
    form = JobSelectionForm(request.POST)
    if not form.is_valid():
        return _refused(request, problems_of(form), status=400)
    rows: list[SeenJob] = form.cleaned_data["job"]
    by, now = dispatcher_of(request), timezone.now()
    engineer, begins = form.cleaned_data["engineer"], form.cleaned_data["starts_at"]
    if form.cleaned_data["action"] == "unassign":
        results = reassignment.unassign_each(rows, by=by, now=now)
    elif engineer and begins:
        results = reassignment.assign_in_turn(rows, to=engineer, begins=begins, by=by, now=now)
    else:
        results = reassignment.reassign_each(rows, by=by, now=now, to=engineer)
    if wants_json(request):
        return JsonResponse({"ok": True, "rows": [_row_json(result) for result in results]})
    _say_results(request, results)
    return redirect(redirect_back(request))


def _row_json(result: RowResult) -> dict[str, object]:
    return {
        "job": result.job.provider_job_id,
        "title": result.job.title,
        "ok": not (result.problems or result.is_unchanged),
        "text": _result_text(result),
    }


def _row_text(result: RowResult) -> str:
    """`LS6 3AB: Erin Engineer, Mon 23 Nov 08:30–10:30`, or why nothing was changed."""
    return f"{result.job.title}: {_result_text(result)}"


def _result_text(result: RowResult) -> str:
    if result.problems:
        return " ".join(problem.message for problem in result.problems)
    if result.visit is None:
        return _("Unassigned")
    text = visit_text(result.visit)
    return _("Already assigned to %(visit)s.") % {"visit": text} if result.is_unchanged else text


def _say_results(request: HttpRequest, results: Iterable[RowResult]) -> None:
    for result in results:
        level = messages.ERROR if result.problems else messages.SUCCESS
        if result.is_unchanged:
            level = messages.INFO
        messages.add_message(request, level, link_text(_row_text(result), links_of_job(result.job)))


def _refused(request: HttpRequest, problems: list[Problem], *, status: int = 409) -> HttpResponse:
    if wants_json(request):
        return JsonResponse(refusal_json(problems), status=status)
    for problem in problems:
        messages.error(request, problem.message)
    return redirect(redirect_back(request))


def _panel_url(engineer: Engineer, *, day: str) -> str:
    return f"{reverse('board:day')}?{urlencode({'day': day, 'engineer': engineer.staff_number})}"
