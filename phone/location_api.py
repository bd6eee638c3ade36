"""What is kept of where the engineer was, and for how long: the engineer's own to read, to allow and to take back."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from closures.models import Photo
from dispatch.models import Job, JobEvent
from dispatch.retention import KINDS_WITH_POSITION
from dispatch.states import EventKind
from engineers import location_history
from engineers.models import Engineer
from phone.api_view import ApiRefusal, PhoneView

MAX_POSITIONS = 200


class PositionsView(PhoneView):
    def get(self, _request: Request) -> Response:
        """What is kept, and by which rules."""
        return Response(_stored_positions(self.engineer))

    def post(self, _request: Request) -> Response:
        """`{"agreed": true}` allows the coarse way; `false`, or DELETE, takes it back and deletes what was kept."""
        agreed = self.body_object().get("agreed")
        if not isinstance(agreed, bool):
            message = _("“agreed” must be true or false.")
            raise ApiRefusal(HTTPStatus.BAD_REQUEST, "invalid", message, where="agreed")
        return self._consent(agreed=agreed)

    def delete(self, _request: Request) -> Response:
        return self._consent(agreed=False)

    def _consent(self, *, agreed: bool) -> Response:
        engineer = self.engineer
        (location_history.grant_consent if agreed else location_history.revoke_consent)(engineer)
        engineer.refresh_from_db()
        return Response(_stored_positions(engineer))


def _stored_positions(engineer: Engineer) -> dict[str, Any]:
    since = engineer.shares_position_since
    lines = [*_at_states(engineer), *_at_photos(engineer), *_on_the_way(engineer)]
    return {
        "agreed": since is not None,
        "agreed_at": since.isoformat() if since else None,
        "kept_days": settings.POSITION_KEPT_DAYS,
        "exact_days": settings.POSITION_EXACT_DAYS,
        "words": _rules(is_shared=since is not None),
        "positions": sorted(lines, key=lambda line: str(line["at"]), reverse=True)[:MAX_POSITIONS],
    }


def _rules(*, is_shared: bool) -> list[str]:
    parameters = {"exact": settings.POSITION_EXACT_DAYS, "kept": settings.POSITION_KEPT_DAYS}
    states = _(
        "Your location at “On my way” and “I'm on site” is stored with the job and sent to "
        "the seller. We keep it exact for %(exact)s days, then rounded to about a kilometre."
    )
    way = (
        _(
            "While you travel, your location is stored at most every five minutes, rounded to "
            "about a kilometre, for %(kept)s days."
        )
        if is_shared
        else _(
            "Your location while travelling is not stored, because you have not agreed. If you "
            "agree, the office can see who is nearby."
        )
    )
    return [states % parameters, way % parameters]


def _at_states(engineer: Engineer) -> list[dict[str, Any]]:
    """Of steps, also of those that came too late to move the job."""
    events = JobEvent.objects.filter(
        user=engineer.user, kind__in=KINDS_WITH_POSITION, facts__has_key="latitude"
    )
    newest = events.select_related("job").order_by("-occurred_at")[:MAX_POSITIONS]
    return [
        _at_job(_step_label(event), event.job, event.occurred_at, event.facts)
        for event in newest
        if event.facts["latitude"] is not None
    ]


def _step_label(event: JobEvent) -> str:
    if event.kind != EventKind.REPORTED_LATE:
        return str(EventKind(event.kind).label)
    return _("%(what)s (received late)") % {"what": EventKind(event.facts["what"]).label}


def _at_photos(engineer: Engineer) -> list[dict[str, Any]]:
    photos = Photo.objects.filter(by=engineer, latitude__isnull=False, longitude__isnull=False)
    return [
        _at_job(
            _("Signature") if photo.signer else _("Photo"),
            photo.job,
            photo.taken_at,
            {"latitude": photo.latitude, "longitude": photo.longitude},
        )
        for photo in photos.select_related("job").order_by("-taken_at")[:MAX_POSITIONS]
    ]


def _at_job(what: str, job: Job, at: datetime, position: dict[str, Any]) -> dict[str, Any]:
    text = f"{what}, {job.title}: {_degrees(position)}"
    return {"at": at.isoformat(), "words": text, **_position_json(position)}


def _on_the_way(engineer: Engineer) -> list[dict[str, Any]]:
    newest = engineer.driving_positions.order_by("-taken_at")[:MAX_POSITIONS]
    positions = [
        (position.taken_at, {"latitude": position.latitude, "longitude": position.longitude})
        for position in newest
    ]
    return [
        {"at": at.isoformat(), "words": _("En route: %(place)s") % {"place": _degrees(position)}, **position}
        for at, position in positions
    ]


def _position_json(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: facts[name] for name in ("latitude", "longitude")}


def _degrees(position: dict[str, Any]) -> str:
    return f"{round(position['latitude'], 5)}, {round(position['longitude'], 5)}".replace("-", "−")
