"""What programs ask and say: the phone's queue, photos, news of a job, the day to carry along."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dispatch.models import Job, OntScan, ProvisioningResult
from engineers import push as notices
from engineers.clock_skew import phone_clock
from engineers.input_values import parse_json, read_number
from engineers.permissions import engineer_of, for_engineer, user_of
from engineers.throttling import RateLimit, rate_limited
from phone import sync, uploads
from phone.day_payload import day_etag, serialize_day
from phone.job_access import find_job_status, json_response, unassigned_response
from phone.serializers import find_unstorable, parse_number
from phone.sync import SyncResult

MAX_MESSAGES = 200
MAX_BYTES = 2**20
# a photo straight to the bucket is three requests
UPLOADS = RateLimit("uploads", 300)


class InvalidBatch(Exception):
    """The body is not a batch of messages; nothing was taken."""


@for_engineer
@rate_limited(RateLimit("sync", 300))
@require_POST
def sync_batch(request: HttpRequest) -> HttpResponse:
    """The next messages of a phone's queue, each applied once, answered in their order."""
    engineer = engineer_of(request)
    try:
        whole = _parse_batch(request)
        entries = _entries(whole)
    except InvalidBatch as refused:
        return json_response({"error": "bad_batch", "where": "messages", "message": str(refused)}, status=400)
    if whole.get("engineer", engineer.staff_number) != engineer.staff_number:
        words = _("Another engineer is signed in on this phone. Sign in to send your work.")
        return json_response({"error": "other_engineer", "where": "engineer", "message": words}, status=409)
    clock = phone_clock(whole.get("sent_at"), received_at=timezone.now())
    results = [
        (sync.apply_message(entry=entry, engineer=engineer, clock=clock), _job_states(entry))
        for entry in entries
    ]
    numbers = {number for _result, number in results}
    mine = Job.objects.for_engineer(engineer).filter(provider_job_id__in=numbers)
    jobs = {job.provider_job_id: job_json(job) for job in mine}
    said = [_result_json(result, jobs.get(number)) for result, number in results]
    told = {"results": said, "csrf_token": get_token(request), "clock_words": clock.words}
    return json_response(told)


def _parse_batch(request: HttpRequest) -> dict[str, Any]:
    if (read_number(request.headers.get("Content-Length")) or 0) > MAX_BYTES:
        raise InvalidBatch(_("A request can be at most 1 MB. Send fewer messages at once."))
    try:
        whole = parse_json(request.body, parse_int=parse_number)
    except ValueError as problem:
        raise InvalidBatch(_("The request body is not valid JSON. Send a list of “messages”.")) from problem
    if not isinstance(whole, dict):
        raise InvalidBatch(_("“messages” must be a list."))
    return whole


def _entries(whole: dict[str, Any]) -> list[Any]:
    entries = whole.get("messages")
    if not isinstance(entries, list):
        raise InvalidBatch(_("“messages” must be a list."))
    if len(entries) > MAX_MESSAGES:
        raise InvalidBatch(
            _("Too many messages in one request: %(number)s. Send at most %(most)s.")
            % {"number": len(entries), "most": MAX_MESSAGES}
        )
    return entries


def _job_states(entry: Any) -> str:
    job = entry.get("job", "") if isinstance(entry, dict) else ""
    return job if isinstance(job, str) and not find_unstorable(job) else ""


def _result_json(result: SyncResult, job: dict[str, Any] | None) -> dict[str, Any]:
    return {**result.as_json(), "job": job}


def job_json(job: Job) -> dict[str, Any]:
    return {"id": job.provider_job_id, "state": job.state}


@for_engineer
@rate_limited(UPLOADS)
@require_http_methods(["PUT"])
def photo(request: HttpRequest, photo_id: UUID) -> HttpResponse:
    return uploads.store_photo(request=request, photo_id=photo_id, engineer=engineer_of(request))


@for_engineer
@rate_limited(UPLOADS)
@require_safe
def photo_address(request: HttpRequest, photo_id: UUID) -> HttpResponse:
    answer = uploads.create_address(request=request, photo_id=photo_id, engineer=engineer_of(request))
    add_never_cache_headers(answer)
    return answer


@for_engineer
@rate_limited(UPLOADS)
@require_POST
def photo_put(request: HttpRequest, photo_id: UUID) -> HttpResponse:
    """The phone says that the photo lies where it was told to put it."""
    return uploads.confirm_put(photo_id=photo_id, engineer=engineer_of(request))


@for_engineer
@rate_limited(RateLimit("job_version", 600))
@require_safe
def pulse(request: HttpRequest, job_id: str) -> HttpResponse:
    """Asked by an open page while the seller owes an answer: has anything happened to the job?"""
    status = find_job_status(user_of(request), job_id)
    if status is None:
        return unassigned_response(job_id, engineer_of(request))
    scan, result = status.scan, status.result
    return json_response(
        {
            "state": status.state,
            "version": status.version,
            "scan": _scan_json(scan) if scan else None,
            "result": _scan_result_json(result) if result else None,
        }
    )


def _scan_json(scan: OntScan) -> dict[str, str]:
    return {
        "scan_id": str(scan.scan_id),
        "fsan": scan.fsan,
        "serial_number": scan.serial_number,
        "scanned_at": scan.scanned_at.isoformat(),
    }


def _scan_result_json(result: ProvisioningResult) -> dict[str, Any]:
    return {
        "result_id": result.result_id,
        "success": result.success,
        "details": result.details,
        "occurred_at": result.occurred_at.isoformat(),
    }


@for_engineer
@rate_limited(RateLimit("day", 240))
@require_safe
def day(request: HttpRequest) -> HttpResponse:
    """304 without a body for `If-None-Match` with the ETag of the day as it still is."""
    told = serialize_day(engineer_of(request))
    token = get_token(request)
    # the token in the body is another one each time, the secret behind it is not
    etag = day_etag(told, csrf_secret=request.META["CSRF_COOKIE"])
    response = json_response({**told, "csrf_token": token})
    response["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


@for_engineer
@require_http_methods(["GET", "POST", "DELETE"])
def push(request: HttpRequest) -> HttpResponse:
    """GET: `public_key` (empty: no notices here). POST: the browser's subscription. DELETE: its `endpoint`."""
    engineer = engineer_of(request)
    if request.method == "GET":
        return json_response({"public_key": notices.public_key()})
    said = _said(request)
    endpoint = str(said.get("endpoint", ""))
    if find_unstorable(endpoint):
        return _refused("endpoint")
    if request.method == "DELETE":
        notices.unsubscribe(engineer=engineer, endpoint=endpoint)
        return json_response({"subscribed": False})
    keys = said["keys"] if isinstance(said.get("keys"), dict) else {}
    p256dh, auth = str(keys.get("p256dh", "")), str(keys.get("auth", ""))
    try:
        notices.subscribe(engineer=engineer, endpoint=endpoint, p256dh=p256dh, auth=auth)
    except notices.BadSubscription as refused:
        return _refused(str(refused))
    return json_response({"subscribed": True})


def _refused(where: str) -> HttpResponse:
    words = _("This browser's push notifications are not supported.")
    return json_response({"error": "invalid", "where": where, "message": words}, status=400)


def _said(request: HttpRequest) -> dict[str, Any]:
    try:
        said = parse_json(request.body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
