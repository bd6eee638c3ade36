"""What a dispatcher does to an engineer's day or to several jobs at once: POST only; each row is told its result."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.day.forms import DayAbsenceForm, JobSelectionForm, SwapForm
from board.jobs.actions import dispatcher_of
from board.jobs.assignment_options import visit_text
from board.jobs.forms import problems_of
from board.jobs.responses import done_response, links_of_job, redirect_back, refusal_response, wants_json
from board.links import engineer_links, engineer_panel_url, link_text
from dispatch import attention, reassignment
from dispatch.consecutive_jobs import assign_in_turn, count_in_turn
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.problems import Problem
from dispatch.reassignment import RowResult, SeenJob
from engineers import rota
from engineers.input_values import read_number
from engineers.models import Engineer, Right
from engineers.permissions import for_right
from engineers.shifts import TimeSpan
from engineers.throttling import RateLimit, rate_limited

# while cards are moved; each of them is a search
MOST_CHECKED = 20


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
        return refusal_response(request, problems_of(form), status=400)
    span = TimeSpan(form.cleaned_data["starts_at"], form.cleaned_data["ends_at"])
    reason, by = form.cleaned_data["reason"], dispatcher_of(request)
    try:
        plan_actions.mark_absent(engineer, span=span, reason=reason, by=by)
    except rota.OtherReason as refusal:
        return refusal_response(request, [Problem("other_reason", "reason", str(refusal))])
    attention.watch_day()
    day = timezone.localdate(span.start).isoformat()
    return done_response(request, engineer_panel_url(engineer.staff_number, day=day))


@for_right(Right.CHANGE_JOBS)
@require_POST
def take_back_absence(request: HttpRequest, staff_number: str) -> HttpResponse:
    """What a dispatcher entered on the board by mistake: field `action`, and `day` for the panel to come back to."""
    engineer, key = engineer_or_404(staff_number), read_number(request.POST.get("action"))
    try:
        plan_actions.take_back_absence(key or 0, engineer=engineer, by=dispatcher_of(request))
    except plan_actions.NothingToUndo:
        messages.info(request, _("This absence was entered elsewhere or no longer exists. See People."))
    attention.watch_day()
    return done_response(request, engineer_panel_url(engineer.staff_number, day=request.POST.get("day", "")))


@for_right(Right.CHANGE_JOBS)
@require_POST
def swap_days(request: HttpRequest, staff_number: str) -> HttpResponse:
    """What two engineers have still to begin on a `day` goes from one to the other; fields as SwapForm has them."""
    engineer, form = engineer_or_404(staff_number), SwapForm(request.POST)
    if not form.is_valid():
        return refusal_response(request, problems_of(form), status=400)
    other, day = form.cleaned_data["other"], form.cleaned_data["day"]
    try:
        action = reassignment.swap_days(
            engineer, other, day=day, seen=form.cleaned_data["seen"], by=dispatcher_of(request)
        )
    except PlanRefused as refused:
        return refusal_response(request, refused.named_problems)
    names = {"first": engineer.name, "second": other.name}
    done = _("%(first)s and %(second)s have swapped the rest of the day.")
    nothing = _("%(first)s and %(second)s have no visits left to swap on this day.")
    text = (done if action else nothing) % names
    messages.success(request, link_text(text, engineer_links(engineer.name, other.name)))
    return done_response(request, engineer_panel_url(engineer.staff_number, day=day.isoformat()))


@for_right(Right.CHANGE_JOBS)
@rate_limited(RateLimit("bulk", 60))
@require_POST
def change_jobs(request: HttpRequest) -> HttpResponse:
    """Several jobs at once: fields `job` (`number|version`, repeated), `action` (reassign, unassign) and, to give them
    to one, `engineer`, one after another from `starts_at` if given. Answers with a result for each job."""
    form = JobSelectionForm(request.POST)
    if not form.is_valid():
        return refusal_response(request, problems_of(form), status=400)
    rows: list[SeenJob] = form.cleaned_data["job"]
    by, now = dispatcher_of(request), timezone.now()
    engineer, begins = form.cleaned_data["engineer"], form.cleaned_data["starts_at"]
    if form.cleaned_data["action"] == "unassign":
        results = reassignment.unassign_each(rows, by=by, now=now)
    elif engineer and begins:
        results = assign_in_turn(rows, to=engineer, begins=begins, by=by, now=now)
    else:
        results = reassignment.reassign_each(rows, by=by, now=now, to=engineer)
    if wants_json(request):
        return JsonResponse({"ok": True, "rows": [_row_json(result) for result in results]})
    _say_results(request, results)
    return redirect(redirect_back(request))


@for_right(Right.CHANGE_JOBS)
@rate_limited(RateLimit("check", 600))
def check_jobs(request: HttpRequest) -> JsonResponse:
    """How many of several jobs would fit so? For the ghost of moved cards; fields as for change_jobs, with
    `engineer` and `starts_at`; changes nothing. `{"fits": …, "text": …}`: whether all do; of more than MOST_CHECKED
    nobody asks, and the text is empty."""
    form = JobSelectionForm(request.GET)
    is_valid = form.is_valid()
    engineer, begins = form.cleaned_data.get("engineer"), form.cleaned_data.get("starts_at")
    if not is_valid or engineer is None or begins is None:
        text = " ".join(problem.message for problem in problems_of(form))
        return JsonResponse({"fits": False, "text": text}, status=400)
    rows: list[SeenJob] = form.cleaned_data["job"]
    if len(rows) > MOST_CHECKED:
        return JsonResponse({"fits": False, "text": ""})
    number = count_in_turn(rows, to=engineer, begins=begins, now=timezone.now())
    parameters = {"number": number, "all": len(rows)}
    text = _("all %(all)d fit") if number == len(rows) else _("%(number)d of %(all)d fit")
    return JsonResponse({"fits": number == len(rows), "text": text % parameters})


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
