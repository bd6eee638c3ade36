"""What an action of the dispatcher is answered with: the next page, or the refusal with what could be done instead."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from board.base_context import render_page
from board.jobs.corrections import Correction
from board.jobs.job_panel import Panel, build_panel
from board.jobs.suggestion_lines import suggestion_lines
from board.links import Link, engineer_links, job_link, link_text
from dispatch import visits
from dispatch.models import Job
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.problems import Problem, build_or_replace
from engineers.input_values import read_own_path


@dataclass(frozen=True)
class RefusedPage:
    """Why an action could not be done, and what could be done instead."""

    panel: Panel
    problems: list[Problem]
    back: str
    # the same again, with a reason: to which address, and what was sent
    override_url: str
    override: dict[str, str]
    # the reason that was given: whoever tries again need not type it again
    reason: str
    correction: Correction | None = None

    @property
    def offers_correction(self) -> bool:
        """Not where another form of the page has what was typed."""
        is_there = self.override or (self.reason and self.panel.assignment.can_agree)
        return self.correction is not None and not is_there

    @property
    def links(self) -> tuple[Link, ...]:
        """Whom a problem may name, one of those who could be chosen, and the other job that is in the way."""
        return (
            *_other_links(self.problems),
            *engineer_links(*(engineer.name for engineer in self.panel.assignment.choices)),
        )


@dataclass(frozen=True)
class BrokenPage:
    job_id: str
    reasons: list[str]


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")


def redirect_back(request: HttpRequest, *, job: Job | None = None) -> str:
    """The page that the form came from, if it is one of ours; otherwise the job or the board."""
    if wanted := read_own_path(request.POST.get("next", ""), request):
        return wanted
    return reverse("board:job", args=[job.provider_job_id]) if job else reverse("board:day")


def success_response(request: HttpRequest, message: str, *, job: Job) -> HttpResponse:
    """`message` is empty where the page says it already, with its way back."""
    if message:
        messages.success(request, link_text(message, links_of_job(job)))
    return done_response(request, redirect_back(request, job=job))


def done_response(request: HttpRequest, next_page: str) -> HttpResponse:
    """The next page; for a script nothing but that it is done, and with the field `in_place` the messages that the next
    page would show."""
    if not wants_json(request):
        return redirect(next_page)
    displayed = [
        {"level": message.level_tag, "html": conditional_escape(message.message)}
        for message in messages.get_messages(request)
    ]
    is_asked = displayed and request.POST.get("in_place")
    return JsonResponse({"ok": True, "messages": displayed} if is_asked else {"ok": True})


def links_of_job(job: Job) -> tuple[Link, ...]:
    """What a sentence about a job may name: the job by its postcode, and who has it."""
    visit = visits.current_visit(job)
    return (
        job_link(job.provider_job_id, title=job.title),
        *engineer_links(visit.engineer.name if visit else ""),
    )


def error_response(
    request: HttpRequest,
    problems: list[Problem],
    *,
    job: Job,
    status: int = 409,
    correction: Correction | None = None,
    is_plan: bool = False,
) -> HttpResponse:
    """`is_plan`: somebody was to get this job, without a field that names them, so others are offered."""
    if wants_json(request):
        version = plan_version(visits.current_visit(job))
        is_plan = is_plan or "engineer" in request.POST
        suggestions = suggestions_json(job) if job.is_open and is_plan else []
        refusal = refusal_json(problems, suggestions, version=version)
        return JsonResponse(refusal | {"job": job.provider_job_id}, status=status)

    def full() -> HttpResponse:
        page = RefusedPage(
            build_panel(job, now=timezone.now()),
            problems,
            redirect_back(request, job=job),
            request.path,
            _override_fields(request, problems),
            request.POST.get("override_reason", ""),
            correction,
        )
        return render_page(request, "board/jobs/refused.html", page, status=status)

    return build_or_replace(job, full, lambda reason: broken_page(request, job, reason, problems))


def refusal_response(request: HttpRequest, problems: list[Problem], *, status: int = 409) -> HttpResponse:
    """Of no job, or of several: each of these problems names its own."""
    if wants_json(request):
        return JsonResponse(refusal_json(problems), status=status)
    add_errors(request, problems)
    return redirect(redirect_back(request))


def add_errors(request: HttpRequest, problems: Iterable[Problem]) -> None:
    """For the next page, each with links."""
    for problem in problems:
        messages.error(request, _problem_text(problem))


def _problem_text(problem: Problem) -> SafeString:
    """With links to its job and to the one that is in the way, which may have the same postcode."""
    text = link_text(problem.message, _other_links([problem]))
    if not problem.job:
        return text
    return format_html("{}: {}", link_text(problem.title, [job_link(problem.job, title=problem.title)]), text)


def _other_links(problems: Iterable[Problem]) -> list[Link]:
    """To the jobs that are in the way."""
    return [job_link(found.other_job, title=found.other_title) for found in problems if found.other_job]


def refusal_json(
    problems: Iterable[Problem], suggestions: Iterable[dict[str, str]] = (), *, version: str = ""
) -> dict[str, Any]:
    """`RefusedMove` of the scripts."""
    details = [
        {
            "code": problem.code,
            "where": problem.where,
            "message": problem.message,
            "can_override": problem.can_override,
            "job": problem.job,
            "title": problem.title,
            "other_job": problem.other_job,
            "other_title": problem.other_title,
        }
        for problem in problems
    ]
    return {"ok": False, "problems": details, "suggestions": list(suggestions), "version": version}


def _override_fields(request: HttpRequest, problems: list[Problem]) -> dict[str, str]:
    """What was sent, where a reason is all that is missing."""
    is_team_only = "starts_at" not in request.POST and "second_engineer" in request.POST
    required = ("version",) if is_team_only else ("version", "engineer", "starts_at")
    fields = {name: request.POST.get(name, "") for name in required}
    if not all(problem.can_override for problem in problems) or not all(fields.values()):
        return {}
    names = [name for name in ("second_engineer",) if name in request.POST]
    return fields | {name: request.POST[name] for name in names}


def suggestions_json(job: Job) -> list[dict[str, str]]:
    def full() -> list[dict[str, str]]:
        return [asdict(offer) for offer in suggestion_lines(job, visit=visits.current_visit(job))]

    return build_or_replace(job, full, lambda _reason: [])


def broken_page(
    request: HttpRequest, job: Job, reason: str, problems: Iterable[Problem] = ()
) -> HttpResponse:
    """The page of a job whose data cannot be shown: its number and why."""
    page = BrokenPage(job.provider_job_id, [reason, *(problem.message for problem in problems)])
    return render_page(request, "board/jobs/broken_job.html", page)
