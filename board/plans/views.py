"""The planner's pages: plans of a part of the days ahead, re-planning a day that is under way, capacity ahead.

A plan is requested, watched, looked at, and accepted as a whole or in part; for a day under way three options to go on
are compared, of which one is accepted.
"""

from dataclasses import replace
from datetime import date

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from board.base_context import render_page
from board.day.view_options import viewer_of
from board.form_inputs import selected_day
from board.jobs.actions import dispatcher_of
from board.jobs.responses import links_of_job
from board.links import link_text
from board.plans.capacity_presenter import capacity_csv, capacity_page
from board.plans.comparison_presenter import comparison_page
from board.plans.forms import AcceptForm, PlanForm
from board.plans.plan_presenter import plan_page, plans_page
from board.plans.proposed_day import proposed_day
from board.plans.replan_form import ReplanForm
from board.spreadsheets import download
from dispatch import attention
from dispatch.models import PlanComparison, PlanProposal
from dispatch.planning import comparisons, proposals
from dispatch.planning.assumptions_entered import is_to_enter
from dispatch.planning.proposal_acceptance import Acceptance, accept_proposal
from dispatch.planning.tasks import make_plan_comparison, make_plan_proposal
from engineers.input_values import is_usual_day
from engineers.models import Right
from engineers.permissions import for_office, for_office_changed_with, for_right, refuse_limited, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request
from monitoring import task_queue

SECTION = "board"
RELATED = ("requested_by", "action", "comparison__engineer__user", "comparison__job")
# more sentences than these are not read
MOST_REFUSALS = 5
TWO_WEEKS_INSTEAD = gettext_lazy("Showing the next two weeks instead.")
# a region's plan is accepted in several presses: a browser, and the proxy before us, wait for a minute
ACCEPT_SECONDS = 20
CAPACITY_LIMIT = RateLimit("capacity", 60)
REPLAN_FIELDS = ("occasion", "job", "engineer", "absent_since", "longer_minutes", "weight")


@for_office_changed_with(Right.PLAN)
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limited(RateLimit("plans", 30))
def plan_list(request: HttpRequest) -> HttpResponse:
    """The latest plans and the form for a new one, of `?day=` and of each `job=` (number); POST requests it."""
    if request.method != "POST":
        day = request.GET.get("day") or f"{timezone.localdate():%Y-%m-%d}"
        form = PlanForm(initial={"first": day, "jobs": ", ".join(request.GET.getlist("job"))})
        return render_page(request, "board/plans/plans.html", plans_page(form), section=SECTION)
    form = PlanForm(request.POST)
    if not form.is_valid():
        return render_page(request, "board/plans/plans.html", plans_page(form), section=SECTION, status=400)
    proposal = proposals.request_proposal(
        scope=form.scope(),
        by=user_of(request),
        seconds=form.cleaned_data["seconds"],
        neighbourhoods=form.cleaned_data["steps"],
        seed=form.cleaned_data["seed"] or 1,
        change_minutes=form.change_minutes(),
    )
    if not task_queue.enqueue(make_plan_proposal, proposal.pk):
        proposals.record_failure(proposal.pk, "not queued")
    return redirect("board:plan", pk=proposal.pk)


def _proposal_or_404(pk: int) -> PlanProposal:
    return get_object_or_404(PlanProposal.objects.in_scope().select_related(*RELATED), pk=pk)


@for_office
@require_GET
def plan(request: HttpRequest, pk: int) -> HttpResponse:
    return render_page(request, "board/plans/plan.html", plan_page(_proposal_or_404(pk)), section=SECTION)


@for_office
@require_GET
def plan_on_board(request: HttpRequest, pk: int) -> HttpResponse:
    """The proposal drawn on the board of `?day=`, by default of the first day that it changes."""
    day = _usual_day(request.GET.get("day", ""))
    page = proposed_day(_proposal_or_404(pk), day, now=timezone.now(), viewer=viewer_of(user_of(request)))
    return render_page(request, "board/plans/proposed_day.html", page, section=SECTION)


def _usual_day(text: str) -> date | None:
    """None for what is no day, or one at an end of the calendar, which has no day before or after."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day and is_usual_day(day) else None


@for_right(Right.PLAN)
@require_POST
def stop_plan(_request: HttpRequest, pk: int) -> HttpResponse:
    """The best plan so far is offered. May be sent twice."""
    proposals.request_stop(_proposal_or_404(pk))
    return redirect("board:plan", pk=pk)


@for_right(Right.PLAN)
@require_POST
@rate_limited(RateLimit("plan_acceptance", 60))
@slow_request
def accept_plan(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept the changes that the form names. What was accepted already stays as it is."""
    proposal, form = _proposal_or_404(pk), AcceptForm(request.POST)
    # a reason that is not asked for any more refuses nothing
    if not form.is_valid() and is_to_enter(proposal):
        page = replace(plan_page(proposal), accept_form=form)
        return render_page(request, "board/plans/plan.html", page, section=SECTION, status=400)
    only = None if "all" in request.POST else _chosen_changes(request, proposal)
    if only is not None and not only:
        messages.error(request, _("Choose at least one change."))
        return redirect("board:plan", pk=pk)
    result = accept_proposal(
        proposal,
        by=dispatcher_of(request),
        now=timezone.now(),
        only=only,
        absence_reason=form.cleaned_data.get("reason", ""),
        seconds=ACCEPT_SECONDS,
    )
    if result.absent or result.longer:
        attention.watch_day()
    _report(request, result)
    if result.left:
        # nothing is ticked that was not
        page = replace(plan_page(proposal), accept_form=AcceptForm.ticking(result.left))
        return render_page(request, "board/plans/plan.html", page, section=SECTION)
    return redirect("board:plan", pk=pk)


def _chosen_changes(request: HttpRequest, proposal: PlanProposal) -> set[int]:
    chosen = set(request.POST.getlist("change"))
    return {key for key in proposal.changes.values_list("pk", flat=True) if str(key) in chosen}


def _report(request: HttpRequest, result: Acceptance) -> None:
    if result.absent:
        text = _("%(engineer)s is marked absent.")
        messages.success(request, text % {"engineer": result.absent.name})
    if result.unassigned:
        messages.success(request, _("%(place)s unassigned.") % {"place": result.unassigned.title})
    if result.longer:
        messages.success(request, _("%(place)s is expected to take longer.") % {"place": result.longer.title})
    if result.accepted:
        number = len(result.accepted)
        text = ngettext("%(number)d change accepted.", "%(number)d changes accepted.", number)
        messages.success(request, text % {"number": number})
    if result.left:
        number = len(result.left)
        text = ngettext(
            "There was no time for %(number)d change, which is still ticked. Accept it with another press.",
            "There was no time for %(number)d changes, which are still ticked. Accept them with another press.",
            number,
        )
        messages.warning(request, text % {"number": number})
    if result.not_accepted:
        number = len(result.not_accepted)
        text = ngettext(
            "%(number)d change was not accepted, for these reasons:",
            "%(number)d changes were not accepted, for these reasons:",
            number,
        )
        messages.error(request, text % {"number": number})
    for refusal in result.refusals[:MOST_REFUSALS]:
        problem = " ".join(problem.message for problem in refusal.problems)
        messages.error(request, link_text(f"{refusal.job.title}: {problem}", links_of_job(refusal.job)))
    if (more := len(result.refusals) - MOST_REFUSALS) > 0:
        text = ngettext("and %(number)d more job.", "and %(number)d more jobs.", more)
        messages.error(request, text % {"number": more})


@for_office
@require_GET
@rate_limited(CAPACITY_LIMIT)
def capacity(request: HttpRequest) -> HttpResponse:
    """Two weeks from `?day=` on, tomorrow at the earliest."""
    page = capacity_page(selected_day(request, instead=TWO_WEEKS_INSTEAD))
    return render_page(request, "board/plans/capacity.html", page, section=SECTION)


@for_office
@require_GET
@rate_limited(CAPACITY_LIMIT)
def capacity_file(request: HttpRequest) -> HttpResponse:
    """The same figures as CSV."""
    name, content = capacity_csv(selected_day(request, instead=TWO_WEEKS_INSTEAD))
    return download(content, name=name)


@for_right(Right.PLAN)
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limited(RateLimit("replans", 60))
def replan(request: HttpRequest) -> HttpResponse:
    """The form, filled in from the address; POST requests the options, which may move any visit of the day."""
    refuse_limited()
    if request.method != "POST":
        initial = {name: request.GET[name] for name in REPLAN_FIELDS if name in request.GET}
        return render_page(request, "board/plans/replan.html", ReplanForm(initial=initial), section=SECTION)
    form = ReplanForm(request.POST)
    if not form.is_valid():
        return render_page(request, "board/plans/replan.html", form, section=SECTION, status=400)
    comparison = comparisons.request_comparison(by=user_of(request), **form.request())
    if not task_queue.enqueue(make_plan_comparison, comparison.pk):
        comparisons.record_comparison_failure(comparison.pk, "not queued")
    return redirect("board:comparison", pk=comparison.pk)


@for_office
@require_GET
def comparison(request: HttpRequest, pk: int) -> HttpResponse:
    refuse_limited()
    related = PlanComparison.objects.select_related("requested_by", "job", "engineer__user")
    found = get_object_or_404(related, pk=pk)
    return render_page(request, "board/plans/comparison.html", comparison_page(found), section=SECTION)
