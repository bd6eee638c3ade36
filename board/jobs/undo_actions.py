"""The buttons of undo and redo: POST only, the same for forms and for scripts (see actions.py)."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.jobs.actions import dispatcher_of
from board.jobs.responses import (
    add_errors,
    done_response,
    error_response,
    redirect_back,
    refusal_json,
    refusal_response,
    wants_json,
)
from board.jobs.undo import action_links, action_text, refusal_problems, undone_text
from board.links import link_text
from closures.network_patterns import watch_patterns
from dispatch import attention
from dispatch.job_events import IllegalEvent
from dispatch.models import PlanAction
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.problems import Problem
from engineers.models import Right
from engineers.permissions import for_right, user_of


@for_right(Right.CHANGE_JOBS)
@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Undo the last change of the plan, or the one of the field `change`, which must be the last."""
    return _repeat(request, plan_actions.last_action(user_of(request)), plan_actions.undo)


@for_right(Right.CHANGE_JOBS)
@require_POST
def redo(request: HttpRequest) -> HttpResponse:
    """Do again what was undone last; field `change` as for undo."""
    return _repeat(request, plan_actions.last_undone(user_of(request)), plan_actions.redo)


def _repeat(
    request: HttpRequest, action: PlanAction | None, repeat: Callable[..., list[JobRefusal]]
) -> HttpResponse:
    """A second press of the same button, or an old page's, does nothing."""
    is_undo = repeat is plan_actions.undo
    sentence = _("This change can no longer be undone.") if is_undo else _("There is nothing to redo.")
    too_late = Problem("nothing_to_undo", "change", sentence)
    if action is None or request.POST.get("change", str(action.pk)) != str(action.pk):
        return _refused_repeat(request, [too_late])
    try:
        refusals = repeat(action, by=dispatcher_of(request))
    except (plan_actions.NothingToUndo, IllegalEvent):
        return _refused_repeat(request, [too_late])
    except PlanRefused as refused:
        return _refused_change(request, refusal_problems(action, refused, is_undo=is_undo), refused)
    if action.absence_steps.exists() or action.overrun_steps.exists():
        attention.watch_day()
    if action.pin_hold_steps.exclude(element="").exists():
        watch_patterns()
    if not wants_json(request):
        _add_success(request, action, is_undo=is_undo)
    # the script's page says what was done, but not what was not
    add_errors(request, refusal_problems(action, PlanRefused(refusals), is_undo=is_undo))
    return done_response(request, redirect_back(request))


def _add_success(request: HttpRequest, action: PlanAction, *, is_undo: bool) -> None:
    # without what was refused: the steps of `action` were fetched before
    repeated = PlanAction.objects.with_steps().get(pk=action.pk)
    text = undone_text(repeated) if is_undo else _("Redone: %(what)s") % {"what": action_text(repeated)}
    messages.success(request, link_text(text, action_links(repeated)))


def _refused_change(request: HttpRequest, problems: list[Problem], refused: PlanRefused) -> HttpResponse:
    """Offers nobody instead of what a colleague has just changed: it is not to be changed again by Enter. Nor of
    several jobs, of which an offer could be for one only."""
    if any(problem.job for problem in problems):
        return refusal_response(request, problems)
    job = refused.refusals[0].job
    if wants_json(request) and any(refusal.is_conflict for refusal in refused.refusals):
        return JsonResponse(refusal_json(problems) | {"job": job.provider_job_id}, status=409)
    return error_response(request, problems, job=job, is_plan=True)


def _refused_repeat(request: HttpRequest, problems: list[Problem]) -> HttpResponse:
    if wants_json(request):
        return JsonResponse(refusal_json(problems), status=409)
    for problem in problems:
        messages.info(request, problem.message)
    return redirect(redirect_back(request))
