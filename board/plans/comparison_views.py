"""Re-planning a day that is under way: say what has happened, compare three ways to go on, accept one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods

from board.base_context import render_page
from board.plans.comparison_presenter import comparison_page
from board.plans.replan_form import ReplanForm
from dispatch.models import PlanComparison
from dispatch.planning import comparisons
from dispatch.planning.tasks import make_plan_comparison
from engineers.models import Right
from engineers.permissions import for_office, for_right, refuse_limited, user_of
from engineers.throttling import RateLimit, rate_limited
from monitoring import task_queue

SECTION = "board"
FIELDS = ("occasion", "job", "engineer", "absent_since", "longer_minutes", "weight")


@for_right(Right.PLAN)
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limited(RateLimit("replans", 60))
def replan(request: HttpRequest) -> HttpResponse:
    """The form, filled in from the address; POST requests the ways, which may move any visit of the day."""
    refuse_limited()
    if request.method != "POST":
        initial = {name: request.GET[name] for name in FIELDS if name in request.GET}
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
