"""What the application asks and sends: the phone's queue, the day to carry along, updates of a job,
notifications, and to check the line: it asks us, we ask the seller."""

from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponseBase, HttpResponseNotModified
from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from dispatch.job_events import Performer
from dispatch.models import Job, OntScan, ProvisioningResult
from dispatch.states import Actor
from engineers import push
from engineers.clock_skew import phone_clock
from engineers.models import Engineer
from engineers.throttling import RateLimit
from phone import day_version, pwa, sync, sync_times
from phone.api_view import ApiRefusal, PhoneView
from phone.assigned_jobs import find_job_status, phone_state, unassigned_status
from phone.day_payload import day_etag, serialize_day
from phone.line_results import serialize_line_check
from phone.serializers import find_unstorable
from seller_link.line_check import LineCheckUnavailable, check_line

MAX_MESSAGES = 200


class SyncView(PhoneView):
    rate_limit = RateLimit("sync", 300)
    max_body_bytes = 2**20

    def bad_body(self, message: str) -> ApiRefusal:
        remedy = _("Send a list of “messages”, at most %(most)s.") % {"most": MAX_MESSAGES}
        return _bad_batch(f"{message} {remedy}")

    def post(self, _request: Request) -> Response:
        """The next messages of a phone's queue, each applied once, answered in their order."""
        engineer, batch = self.engineer, self.body_object()
        entries = _read_entries(batch)
        self.check_engineer(batch)
        clock = phone_clock(batch.get("sent_at"), received_at=timezone.now())
        results = [
            (sync.apply_message(entry=entry, engineer=engineer, clock=own_clock), _job_number(entry))
            for entry, own_clock in zip(entries, sync.clocks_of_batch(entries, clock), strict=True)
        ]
        sync_times.record_sync(engineer, version=self.http_request.headers.get(sync_times.HEADER, ""))
        jobs = _job_states(engineer, {number: result.job_state for result, number in results})
        return Response(
            {
                "results": [{**result.as_json(), "job": jobs.get(number)} for result, number in results],
                "csrf_token": get_token(self.http_request),
                "clock_words": clock.difference_text,
            }
        )


def _read_entries(batch: dict[str, Any]) -> list[Any]:
    entries = batch.get("messages")
    if not isinstance(entries, list):
        raise _bad_batch(_("“messages” must be a list."))
    if len(entries) > MAX_MESSAGES:
        text = _("Too many messages in one request: %(number)s. Send at most %(most)s.")
        raise _bad_batch(text % {"number": len(entries), "most": MAX_MESSAGES})
    return entries


def _bad_batch(message: str) -> ApiRefusal:
    return ApiRefusal(HTTPStatus.BAD_REQUEST, "bad_batch", message, where="messages")


def _job_states(engineer: Engineer, states: dict[str, str]) -> dict[str, dict[str, str]]:
    """The engineer's own jobs as they are after the batch, by number; where no result says it, the database does."""
    unknown = [number for number, state in states.items() if not state]
    if unknown:
        own = Job.objects.for_engineer(engineer).filter(provider_job_id__in=unknown)
        states = {**states, **dict(own.values_list("provider_job_id", "state"))}
    return {number: {"id": number, "state": phone_state(state)} for number, state in states.items() if state}


def _job_number(entry: Any) -> str:
    number = entry.get("job", "") if isinstance(entry, dict) else ""
    return number if isinstance(number, str) and not find_unstorable(number) else ""


class JobVersionView(PhoneView):
    rate_limit = RateLimit("job_version", 600)

    def get(self, _request: Request, job_id: str) -> Response:
        """Asked by an open page while the seller owes an answer: has anything happened to the job?"""
        status = find_job_status(self.engineer, job_id)
        if status is None:
            return Response(unassigned_status(job_id, self.engineer))
        return Response(
            {
                "state": status.state,
                "version": status.version,
                "scan": _scan_json(status.scan) if status.scan else None,
                "result": _result_json(status.result) if status.result else None,
            }
        )


def _scan_json(scan: OntScan) -> dict[str, str]:
    return {
        "scan_id": str(scan.scan_id),
        "fsan": scan.fsan,
        "serial_number": scan.serial_number,
        "scanned_at": scan.scanned_at.isoformat(),
    }


def _result_json(result: ProvisioningResult) -> dict[str, Any]:
    return {
        "result_id": result.result_id,
        "success": result.success,
        "details": result.details,
        "occurred_at": result.occurred_at.isoformat(),
    }


class DayView(PhoneView):
    rate_limit = RateLimit("day", 240)

    def get(self, _request: Request) -> HttpResponseBase:
        """Everything for today and tomorrow. 304 without a body for the ETag of the day as it still is."""
        # a page that fetches it ahead of its script cannot name its version: the one that we serve
        app_version = self.http_request.headers.get(sync_times.HEADER, pwa.version())
        sync_times.record_sync(self.engineer, version=app_version)
        token, asked = get_token(self.http_request), self.http_request.headers.get("If-None-Match", "")
        # the token in the body is another one each time, the secret behind it is not
        secret = self.http_request.META["CSRF_COOKIE"]
        version = day_version.read_version(self.engineer, csrf_secret=secret)
        if etag := day_version.unchanged_etag(asked, version):
            return HttpResponseNotModified(headers={"ETag": etag})
        payload = serialize_day(self.engineer)
        etag = day_etag(payload, csrf_secret=secret)
        day_version.remember(payload, etag=etag, version=version)
        response = Response({**payload, "csrf_token": token}, headers={"ETag": etag})
        return get_conditional_response(self.http_request, etag=etag, response=response) or response


class PushView(PhoneView):
    rate_limit = RateLimit("push", 60)

    def get(self, _request: Request) -> Response:
        """The key for subscribing; empty: no notifications here."""
        return Response({"public_key": push.public_key()})

    def post(self, _request: Request) -> Response:
        """The browser's subscription, as its JSON has it."""
        data = self.body_object()
        keys = data["keys"] if isinstance(data.get("keys"), dict) else {}
        p256dh, auth = str(keys.get("p256dh", "")), str(keys.get("auth", ""))
        try:
            push.subscribe(engineer=self.engineer, endpoint=_endpoint(data), p256dh=p256dh, auth=auth)
        except push.BadSubscription as refused:
            raise _bad_subscription(str(refused)) from refused
        return Response({"subscribed": True})

    def delete(self, _request: Request) -> Response:
        push.unsubscribe(engineer=self.engineer, endpoint=_endpoint(self.body_object()))
        return Response({"subscribed": False})


def _endpoint(data: dict[str, Any]) -> str:
    endpoint = str(data.get("endpoint", ""))
    if find_unstorable(endpoint):
        raise _bad_subscription("endpoint")
    return endpoint


def _bad_subscription(where: str) -> ApiRefusal:
    message = _("This browser's push notifications are not supported.")
    return ApiRefusal(HTTPStatus.BAD_REQUEST, "invalid", message, where=where)


class LineCheckView(PhoneView):
    rate_limit = RateLimit("phone_line_check", 30)

    def post(self, _request: Request, job_id: str) -> Response:
        """Have the seller test the line of an own job now. 422 where there is no result, with the reason as `error`:
        the visit goes on. A repetition within seconds is answered with the same result."""
        job = Job.objects.for_engineer(self.engineer).filter(provider_job_id=job_id).first()
        if job is None:
            raise Http404
        try:
            check = check_line(job, by=Performer(Actor.ENGINEER, self.engineer.user))
        except LineCheckUnavailable as unavailable:
            message = f"{unavailable.text} {_('Carry on with the visit.')}"
            raise ApiRefusal(
                HTTPStatus.UNPROCESSABLE_ENTITY, unavailable.reason.value, message, where="line"
            ) from unavailable
        return Response({"line_check": serialize_line_check(check)})
