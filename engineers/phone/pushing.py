"""/phone/push: whether there are notices, and this browser's wish to have them or not."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engineers import push as notices
from engineers.phone.access import answer_json
from engineers.roles import engineer_of, for_engineer


@for_engineer
@require_http_methods(["GET", "POST", "DELETE"])
def push(request: HttpRequest) -> HttpResponse:
    """GET: `public_key` (empty: no notices here). POST: the browser's subscription. DELETE: its `endpoint`."""
    engineer = engineer_of(request)
    if request.method == "GET":
        return answer_json({"public_key": notices.public_key()})
    said = _said(request)
    endpoint = str(said.get("endpoint", ""))
    if request.method == "DELETE":
        notices.unsubscribe(engineer=engineer, endpoint=endpoint)
        return answer_json({"subscribed": False})
    keys = said["keys"] if isinstance(said.get("keys"), dict) else {}
    p256dh, auth = str(keys.get("p256dh", "")), str(keys.get("auth", ""))
    try:
        notices.subscribe(engineer=engineer, endpoint=endpoint, p256dh=p256dh, auth=auth)
    except notices.BadSubscription as refused:
        words = _("This browser's notices cannot be used here.")
        return answer_json({"error": "invalid", "where": str(refused), "message": words}, status=400)
    return answer_json({"subscribed": True})


def _said(request: HttpRequest) -> dict[str, Any]:
    try:
        said = json.loads(request.body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
