"""What the office decides about a closure that waits: approve it, or send something back."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.jobs.actions import dispatcher_of, job_or_404, run_action
from board.jobs.review_presenter import read_item
from closures import review
from dispatch import job_events
from engineers.input_values import read_number
from engineers.models import Right
from engineers.permissions import for_right


@for_right(Right.CLOSE_JOBS)
@require_POST
def approve(request: HttpRequest, job_id: str) -> HttpResponse:
    """Field `seen`: the number of the newest event on the page."""
    job = job_or_404(job_id)

    @transaction.atomic
    def act() -> str:
        review.approve(job=job_events.lock_job(job), by=dispatcher_of(request), seen=_seen(request))
        return _("%(place)s approved. The seller is being notified.") % {"place": job.title}

    return run_action(request, job, act)


@for_right(Right.CLOSE_JOBS)
@require_POST
def send_back(request: HttpRequest, job_id: str) -> HttpResponse:
    """Fields `seen`, `reason` and `item` several times (ReviewLine.value)."""
    job = job_or_404(job_id)

    @transaction.atomic
    def act() -> str:
        review.send_back(
            job=job_events.lock_job(job),
            by=dispatcher_of(request),
            seen=_seen(request),
            items=[read_item(value) for value in request.POST.getlist("item")],
            reason=request.POST.get("reason", "")[:500],
        )
        return _("%(place)s sent back. The engineer sees it on the phone.") % {"place": job.title}

    return run_action(request, job, act)


def _seen(request: HttpRequest) -> int:
    return read_number(request.POST.get("seen", "")) or 0
