"""Taps without script: a plain form becomes the same message that a script would send."""

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from closures import answers, evidence
from closures.closing import Ending
from closures.matrix import Question
from closures.models import Photo
from dispatch.models import Job
from dispatch.problems import Problem, Refused
from engineers.models import Engineer, PhoneMessage
from engineers.phone import sync
from engineers.phone.access import show, taken_off, with_own_job
from engineers.phone.checklist import question_page
from engineers.phone.device import scan_page
from engineers.phone.endings import close_page
from engineers.phone.pages import arrive_page, travel_page
from engineers.phone.sync import Result
from engineers.phone.trail import Trail, trail_of
from engineers.phone.views import question_or_404
from engineers.roles import engineer_of, for_engineer

OF_THE_FORM = {"csrfmiddlewaretoken", "message_id", "closing", "next"}
WITH_POSITION = {"en_route", "on_site"}
MOST_NAME_LETTERS = 120
NO_SCRIPT = {"missing_because": "asked without script"}


@for_engineer
@require_POST
def say(request: HttpRequest, job_id: str, kind: str) -> HttpResponse:
    """One step. The message is taken first, so that what happened is kept even when the job is gone."""
    engineer, trail = engineer_of(request), trail_of(request.GET)
    body = _body(request, kind)
    entry = _entry(message_id=request.POST.get("message_id", ""), kind=kind, job_id=job_id, body=body)
    result = sync.take(entry=entry, engineer=engineer)
    job = Job.objects.for_engineer(engineer).filter(provider_job_id=job_id).first()
    if job is None:
        return taken_off(request, job_id, engineer)
    if result.outcome == "refused":
        return _say_again(request, job, kind, body, result.problems)
    return redirect(_after(job, kind, body, trail))


def _body(request: HttpRequest, kind: str) -> dict[str, Any]:
    body: dict[str, Any] = {name: value for name, value in request.POST.items() if name not in OF_THE_FORM}
    if kind in WITH_POSITION:
        body["position"] = NO_SCRIPT
    return body


def _entry(*, message_id: str, kind: str, job_id: str, body: dict[str, Any]) -> dict[str, Any]:
    """The same tap sent twice is the same message, although the server's clock has moved on."""
    entry = {
        "message_id": message_id,
        "kind": kind,
        "job": job_id,
        "occurred_at": timezone.now().isoformat(),
        "body": body,
    }
    known = _known(message_id)
    if known is None:
        return entry
    if {**known.body, "occurred_at": ""} == {**entry, "occurred_at": ""}:
        return {**entry, "occurred_at": known.body["occurred_at"]}
    # the browser's Back showed an old page: another answer is another message
    return {**entry, "message_id": str(uuid.uuid4())}


def _known(message_id: str) -> PhoneMessage | None:
    try:
        return PhoneMessage.objects.filter(pk=uuid.UUID(message_id)).first()
    except ValueError:
        return None


def _after(job: Job, kind: str, body: dict[str, Any], trail: Trail) -> str:
    """Whoever takes an answer back wants to see the question again."""
    if kind == "answer_withdrawn":
        return trail.url(job, "question", code=str(body.get("question", "")))
    return trail.url(job, "next")


Again = Callable[[HttpRequest, Job, dict[str, Any], list[Problem]], HttpResponse]


def _say_again(
    request: HttpRequest, job: Job, kind: str, body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    """The same page with what was typed and what is wrong with it."""
    pages: dict[str, Again] = {
        "en_route": _travel_again,
        "on_site": _arrive_again,
        "ont_scanned": _scan_again,
        "answered": _question_again,
        "answer_withdrawn": _question_again,
        "close": _close_again,
    }
    again = pages.get(kind)
    if again is None:
        raise Http404
    return again(request, job, body, problems)


def _travel_again(
    request: HttpRequest, job: Job, _body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    return show(request, "phone/travel.html", travel_page(job, problems=problems), status=422)


def _arrive_again(
    request: HttpRequest, job: Job, _body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    page = arrive_page(job, trail=trail_of(request.GET), problems=problems)
    return show(request, "phone/arrive.html", page, status=422)


def _scan_again(
    request: HttpRequest, job: Job, body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    page = scan_page(job, trail=trail_of(request.GET), problems=problems, entered=body)
    return show(request, "phone/scan.html", page, status=422)


def _question_again(
    request: HttpRequest, job: Job, body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    question = question_or_404(job, str(body.get("question", "")))
    entered = str(body.get("value", ""))
    page = question_page(job, question, trail=trail_of(request.GET), problems=problems, entered=entered)
    return show(request, "phone/question.html", page, status=422)


def _close_again(
    request: HttpRequest, job: Job, body: dict[str, Any], problems: list[Problem]
) -> HttpResponse:
    names = ("code", "secondary_code", "remarks")
    ending = Ending(**{name: str(body.get(name, "")) for name in names})
    page = close_page(job, ending=ending, problems=problems, is_refused=True)
    return show(request, "phone/close.html", page, status=422)


@for_engineer
@require_POST
@with_own_job
def photo_form(request: HttpRequest, job: Job, code: str) -> HttpResponse:
    """A photo without script: announced, stored, then answered with, as a phone does it."""
    question, engineer = question_or_404(job, code), engineer_of(request)
    signer = request.POST.get("signer", "").strip()[:MOST_NAME_LETTERS]
    problems = _keep_photo(job, question, request.FILES.get("photo"), engineer, signer)
    if problems:
        page = question_page(job, question, trail=trail_of(request.GET), problems=problems)
        return show(request, "phone/question.html", page, status=422)
    return redirect(trail_of(request.GET).url(job, "next"))


def _keep_photo(
    job: Job, question: Question, file: "UploadedFile[Any] | None", engineer: Engineer, signer: str
) -> list[Problem]:
    code = question.code
    if file is None:
        return [Problem("photo_missing", f"question:{code}", _("Take or choose a photo first."))]
    photo_id, digest = str(uuid.uuid4()), hashlib.file_digest(file, "sha256").hexdigest()
    announced = _say_for(job, "photo_taken", engineer, _photo_body(photo_id, code, digest, signer))
    if announced.problems:
        return announced.problems
    file.seek(0)
    photo = Photo.objects.filter(pk=photo_id).first()
    try:
        if photo is not None:
            evidence.store(photo=photo, content=file)
    except Refused as refused:
        return refused.problems
    # a signature given anew takes the place of the one before
    kept = answers.given(job).get(code, []) if question.kind == "photo" else []
    value = [*(kept if isinstance(kept, list) else []), photo_id]
    return _say_for(job, "answered", engineer, {"question": code, "value": value}).problems


def _photo_body(photo_id: str, code: str, digest: str, signer: str) -> dict[str, Any]:
    return {
        "photo_id": photo_id,
        "question": code,
        "sha256": digest,
        "taken_at": timezone.now().isoformat(),
        "source": "unknown",
        "position": NO_SCRIPT,
        "signer": signer,
    }


def _say_for(job: Job, kind: str, engineer: Engineer, body: dict[str, Any]) -> Result:
    entry = _entry(message_id=str(uuid.uuid4()), kind=kind, job_id=job.provider_job_id, body=body)
    return sync.take(entry=entry, engineer=engineer)
