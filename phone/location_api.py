"""What is kept of where the engineer was, and for how long: the engineer's own to read, to allow and to take back."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dispatch.models import JobEvent
from dispatch.states import EventKind
from engineers import location_history
from engineers.input_values import parse_json
from engineers.models import Engineer
from engineers.permissions import engineer_of, for_engineer
from phone.job_access import json_response

MAX_POSITIONS = 200


@for_engineer
@require_http_methods(["GET", "POST", "DELETE"])
def stored_positions(request: HttpRequest) -> HttpResponse:
    """GET tells; POST `{"agreed": true}` allows the coarse way; `false`, or DELETE, takes it back and deletes."""
    engineer = engineer_of(request)
    if request.method == "DELETE":
        location_history.revoke_consent(engineer)
    if request.method == "POST":
        agreed = _agreed(request)
        if agreed is None:
            words = _("“agreed” must be true or false.")
            return json_response({"error": "invalid", "where": "agreed", "message": words}, status=400)
        (location_history.grant_consent if agreed else location_history.revoke_consent)(engineer)
    engineer.refresh_from_db()
    return json_response(_kept(engineer))


def _agreed(request: HttpRequest) -> bool | None:
    try:
        said = parse_json(request.body)
    except ValueError:
        return None
    agreed = said.get("agreed") if isinstance(said, dict) else None
    return agreed if isinstance(agreed, bool) else None


def _kept(engineer: Engineer) -> dict[str, Any]:
    since = engineer.shares_position_since
    lines = [*_at_states(engineer), *_on_the_way(engineer)]
    return {
        "agreed": since is not None,
        "agreed_at": since.isoformat() if since else None,
        "kept_days": settings.POSITION_KEPT_DAYS,
        "exact_days": settings.POSITION_EXACT_DAYS,
        "words": _rules(is_shared=since is not None),
        "positions": sorted(lines, key=lambda line: str(line["at"]), reverse=True)[:MAX_POSITIONS],
    }


def _rules(*, is_shared: bool) -> list[str]:
    told = {"exact": settings.POSITION_EXACT_DAYS, "kept": settings.POSITION_KEPT_DAYS}
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
    return [states % told, way % told]


def _at_states(engineer: Engineer) -> list[dict[str, Any]]:
    kinds = (EventKind.EN_ROUTE, EventKind.ON_SITE)
    events = JobEvent.objects.filter(user=engineer.user, kind__in=kinds, facts__has_key="latitude")
    newest = events.select_related("job").order_by("-occurred_at")[:MAX_POSITIONS]
    return [
        {
            "at": event.occurred_at.isoformat(),
            "words": f"{EventKind(event.kind).label}, {event.job.postcode or event.job}: {_degrees(event.facts)}",
            **_place(event.facts),
        }
        for event in newest
        if event.facts["latitude"] is not None
    ]


def _on_the_way(engineer: Engineer) -> list[dict[str, Any]]:
    newest = engineer.driving_positions.order_by("-taken_at")[:MAX_POSITIONS]
    places = [(one.taken_at, {"latitude": one.latitude, "longitude": one.longitude}) for one in newest]
    return [
        {"at": at.isoformat(), "words": _("En route: %(place)s") % {"place": _degrees(place)}, **place}
        for at, place in places
    ]


def _place(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: facts[name] for name in ("latitude", "longitude")}


def _degrees(place: dict[str, Any]) -> str:
    return f"{round(place['latitude'], 5)}, {round(place['longitude'], 5)}".replace("-", "−")
