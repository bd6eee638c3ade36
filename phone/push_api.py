"""/phone/push: whether there are notices, and this browser's wish to have them or not."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engineers import push as notices
from engineers.json_input import parse_json
from engineers.permissions import engineer_of, for_engineer
from phone.job_access import answer_json
from phone.serializers import find_unstorable


@for_engineer
@require_http_methods(["GET", "POST", "DELETE"])
def push(request: HttpRequest) -> HttpResponse:
    """GET: `public_key` (empty: no notices here). POST: the browser's subscription. DELETE: its `endpoint`."""
    engineer = engineer_of(request)
    if request.method == "GET":
        return answer_json({"public_key": notices.public_key()})
    said = _said(request)
    endpoint = str(said.get("endpoint", ""))
    if find_unstorable(endpoint):
        return _refused("endpoint")
    if request.method == "DELETE":
        notices.unsubscribe(engineer=engineer, endpoint=endpoint)
        return answer_json({"subscribed": False})
    keys = said["keys"] if isinstance(said.get("keys"), dict) else {}
    p256dh, auth = str(keys.get("p256dh", "")), str(keys.get("auth", ""))
    try:
        notices.subscribe(engineer=engineer, endpoint=endpoint, p256dh=p256dh, auth=auth)
    except notices.BadSubscription as refused:
        return _refused(str(refused))
    return answer_json({"subscribed": True})


def _refused(where: str) -> HttpResponse:
    words = _("This browser's notices cannot be used here.")
    return answer_json({"error": "invalid", "where": where, "message": words}, status=400)


def _said(request: HttpRequest) -> dict[str, Any]:
    try:
        said = parse_json(request.body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
