"""What a dispatcher does to jobs: POST only, one verb each, the same for forms and for scripts.

A caller that accepts JSON gets `{"ok": true}` or `{"ok": false, "problems": […], "suggestions": […]}` with 409 (400 for
a value that cannot be read); a form gets the next page, or the refusal as a page with the suggestions as buttons.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.jobs.assignment_options import team_text, visit_text
from board.jobs.corrections import correction_of_refusal, correction_of_values
from board.jobs.forms import (
    AssignForm,
    CloseForm,
    HoldForm,
    LocateForm,
    PinForm,
    SecondEngineerForm,
    UnassignForm,
    problems_of,
)
from board.jobs.responses import error_response, success_response
from closures import closing, codes
from closures.closing import Outcome
from dispatch import geocoding, holds, job_events, jobs, locations, second_engineers, visits
from dispatch.geocoding import GeocoderUnavailable
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, PinHoldChange, PlanAction
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_versions import (
    PlanChanged,
    last_change,
    plan_version,
    refuse_changed_plan,
)
from dispatch.problems import ActionRefused, Problem
from dispatch.states import Actor, EventKind
from engineers.models import Right
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request


def job_or_404(job_id: str) -> Job:
    try:
        return jobs.find_job(provider_job_id=job_id)
    except jobs.JobNotFound as problem:
        raise Http404 from problem


def dispatcher_of(request: HttpRequest) -> Performer:
    return Performer(Actor.DISPATCHER, user_of(request))


def run_action(
    request: HttpRequest, job: Job, act: Callable[[], str], *, form: Form | None = None
) -> HttpResponse:
    """Do it and say what was done, or say every reason why not; what was typed into the `form` is kept then."""
    try:
        message = act()
    except ActionRefused as refusal:
        problems = refusal.problems
    except IllegalEvent as refusal:
        job.refresh_from_db()
        problems = [Problem("illegal_now", "job", str(refusal))]
    else:
        return success_response(request, message, job=job)
    correction = correction_of_refusal(request, form, job) if form else None
    return error_response(request, problems, job=job, correction=correction)


def run_form(
    request: HttpRequest, job_id: str, form_class: type[Form], act: Callable[[Job, dict[str, Any]], str]
) -> HttpResponse:
    """The same with the fields of a form, or say what is wrong with each of them."""
    job, form = job_or_404(job_id), form_class(request.POST)
    if not form.is_valid():
        correction = correction_of_values(request, form, job)
        return error_response(request, problems_of(form), job=job, status=400, correction=correction)
    return run_action(request, job, lambda: act(job, form.cleaned_data), form=form)


def change_plan(
    request: HttpRequest, change: AssignmentChange, *, not_before: datetime | None = None, reason: str = ""
) -> PlanAction | None:
    """One job of the board, remembered for undo."""
    return plan_actions.change_plan([change], by=dispatcher_of(request), not_before=not_before, reason=reason)


@for_right(Right.CHANGE_JOBS)
@require_POST
def assign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Give a job to an engineer, or move it: fields `engineer` (staff number), `starts_at` and `version`, and optional
    `second_engineer`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        change = AssignmentChange(
            job, data["engineer"], data["starts_at"], data["version"], data["second_engineer"]
        )
        action = change_plan(request, change, not_before=timezone.now(), reason=data["override_reason"])
        visit = visits.current_visit(job)
        # what can be undone says itself what was done
        if action or visit is None:
            return ""
        is_unchanged = plan_version(visit) == data["version"]
        text = (
            _("Nothing changed: %(place)s is already assigned to %(visit)s.")
            if is_unchanged
            else _("%(place)s assigned to %(visit)s.")
        )
        return text % {"place": job.title, "visit": visit_text(visit)}

    return run_form(request, job_id, AssignForm, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def change_second_engineer(request: HttpRequest, job_id: str) -> HttpResponse:
    """Of a visit that is under way: fields `second_engineer` (staff number, empty for nobody) and `version`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        visit = second_engineers.change_second_engineer(
            job=job,
            second=data["second_engineer"],
            by=dispatcher_of(request),
            seen=data["version"],
            override_reason=data["override_reason"],
        )
        return _("%(place)s assigned to %(team)s.") % {"place": job.title, "team": team_text(visit)}

    return run_form(request, job_id, SecondEngineerForm, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def unassign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Take a job off its engineer: field `version`, and optional `reason`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        change = AssignmentChange(job, seen=data["version"])
        if change_plan(request, change, reason=data["reason"]):
            return ""
        return _("%(place)s unassigned.") % {"place": job.title}

    return run_form(request, job_id, UnassignForm, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def pin(request: HttpRequest, job_id: str) -> HttpResponse:
    """Pin the job's visit, or unpin it without `is_pinned`: field `version`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        change = PinHoldChange.PINNED if data["is_pinned"] else PinHoldChange.UNPINNED
        plan_actions.pin_or_hold_jobs([job], change, by=dispatcher_of(request), seen=data["version"])
        # what can be undone says itself what was done
        return ""

    return run_form(request, job_id, PinForm, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def hold(request: HttpRequest, job_id: str) -> HttpResponse:
    """Hold a job back with its visit: fields `reason` and `version`. May be sent twice; another reason than that of a
    hold that it has is refused."""

    def act(job: Job, data: dict[str, Any]) -> str:
        by, seen = dispatcher_of(request), data["version"] or None
        action = plan_actions.pin_or_hold_jobs(
            [job], PinHoldChange.HELD, by=by, reason=data["reason"], seen=seen
        )
        if action:
            return ""
        job.refresh_from_db(fields=["on_hold_since"])
        if job.on_hold_since is None:
            text = _("Only a job that has not ended and where nobody is on site can be put on hold.")
            raise ActionRefused([Problem("not_holdable", "job", text)])
        if (active := str(holds.last_reason(job))) != data["reason"]:
            text = _("%(change)s Reason: %(reason)s")
            parameters = {"change": last_change(job, [EventKind.PUT_ON_HOLD]), "reason": active}
            raise PlanChanged([Problem("plan_changed", "reason", text % parameters)])
        return _("%(place)s is on hold.") % {"place": job.title}

    return run_form(request, job_id, HoldForm, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def release(request: HttpRequest, job_id: str) -> HttpResponse:
    """Release a job that is on hold: field `hold`, the version of the hold that the dispatcher saw. May be sent
    twice."""
    job = job_or_404(job_id)

    def act() -> str:
        seen = request.POST.get("hold")
        plan_actions.pin_or_hold_jobs([job], PinHoldChange.RELEASED, by=dispatcher_of(request), seen=seen)
        return ""

    return run_action(request, job, act)


@for_right(Right.CHANGE_JOBS)
@require_POST
def locate(request: HttpRequest, job_id: str) -> HttpResponse:
    """Put a job on the map: fields `latitude`, `longitude` and `seen_location`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        seen = data.pop("seen_location") or None
        locations.set_location(job=job, by=dispatcher_of(request), seen=seen, **data)
        return _("Location saved.")

    return run_form(request, job_id, LocateForm, act)


@for_right(Right.CHANGE_JOBS)
@rate_limited(RateLimit("geocoding", 30))
@slow_request
@require_POST
def geocode(request: HttpRequest, job_id: str) -> HttpResponse:
    """Ask the configured geocoder for the address; field `seen_location` as for locate."""
    job = job_or_404(job_id)
    try:
        position = geocoding.geocode(job)
    except GeocoderUnavailable:
        problem = Problem(
            "geocoder_unavailable",
            "location",
            _("The address lookup is not responding. Try again, or set the location manually."),
        )
        return error_response(request, [problem], job=job)
    if position is None:
        problem = Problem(
            "address_unknown", "location", _("The address was not found. Set the location manually.")
        )
        return error_response(request, [problem], job=job)
    latitude, longitude = position

    def act() -> str:
        locations.set_location(
            job=job,
            latitude=latitude,
            longitude=longitude,
            by=dispatcher_of(request),
            found_by="geocoder",
            seen=request.POST.get("seen_location"),
        )
        return _("Location found from the address. Check it on the map.")

    return run_action(request, job, act)


@for_right(Right.CLOSE_JOBS)
@require_POST
def close(request: HttpRequest, job_id: str) -> HttpResponse:
    """Close a job that nobody goes to: fields `version`, `is_held`, `code`, `secondary_code`, `remarks`."""

    @transaction.atomic
    def act(job: Job, data: dict[str, Any]) -> str:
        seen, knows_hold = data.pop("version"), data.pop("is_held")
        outcome, locked = Outcome(**data, without_visit=True), job_events.lock_job(job)
        refuse_changed_plan(locked, visit=visits.current_visit(locked), seen=seen)
        if locked.on_hold_since and not knows_hold:
            raise PlanChanged(
                [Problem("plan_changed", "version", last_change(locked, [EventKind.PUT_ON_HOLD]))]
            )
        # which codes there are hangs on what has been done there, of which an older page knows nothing
        if codes.find_code(outcome.code) not in closing.office_closure_codes(locked):
            raise ActionRefused([_needs_a_visit()])
        closing.close_job(
            job=locked,
            outcome=outcome,
            by=dispatcher_of(request),
            closed_at=timezone.now(),
            engineer=closing.attending_engineer(job),
        )
        return _("%(place)s closed. The seller is being notified.") % {"place": job.title}

    return run_form(request, job_id, CloseForm, act)


def _needs_a_visit() -> Problem:
    text = _(
        "Only a closure without a visit is possible here. All other outcomes are recorded by "
        "the engineer on site."
    )
    return Problem("needs_a_visit", "code", text)
