"""A webhook of the partner's and its deliveries, sent without waiting."""

import json
from collections import Counter
from typing import Any

from partner_api import webhook_events, webhook_queue
from partner_api.models import WebhookDelivery, WebhookKind, WebhookSubscription
from partner_api.webhook_subscriptions import subscribe
from tests import make
from tests.servers.webhook_receiver import Receiver

ALL_KINDS = tuple(WebhookKind.values)


def subscription(url: str = "https://hooks.example.org/", **changes: Any) -> WebhookSubscription:
    fields = {"name": "Data store", "url": url, "kinds": ALL_KINDS, "by": None, **changes}
    return subscribe(**fields).subscription


def subscription_inside() -> WebhookSubscription:
    """At an address of this computer, as one whose name leads there since it was entered."""
    made = subscription()
    WebhookSubscription.objects.filter(pk=made.pk).update(url="https://127.0.0.1:9/hooks")
    made.refresh_from_db()
    return made


def send_due() -> list[str]:
    """Collect what happened and send what is due, one after the other: the errors, empty for delivered."""
    webhook_events.collect_job_events()
    errors = []
    while claims := webhook_queue.claim_due(8, under_way=Counter()):
        results = [webhook_queue.send(claim) for claim in claims]
        webhook_queue.settle(results)
        errors += [str(result.error or "") for result in results]
    return errors


def make_due() -> None:
    """As if the waits were over."""
    WebhookDelivery.objects.filter(state="ready").update(next_attempt_at=make.now())
    WebhookSubscription.objects.update(open_until=None)


def bodies(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for _headers, body in receiver.got]


def events_of(receiver: Receiver) -> list[tuple[str, int]]:
    """(job's number, number of its event) in the order in which they came."""
    return [(body["job"]["number"], body["event"]["number"]) for body in bodies(receiver)]
