"""A job pack of an order that the partner refused stands at the order with the partner's reason."""

import pytest
from django.test import Client

from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import outbox
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")
FAULT = {"fault": {"faultcode": "invalidMessage", "faultmessage": "The message is wrong", "detail": []}}
REASON = "422 invalidMessage, The message is wrong"


def test_refused_pack_is_shown_with_its_reason(client: Client) -> None:
    """Issue 13, 5a (refused createJob)."""
    order = samples.appointed()
    pack = Job.objects.get().thread.outbound.get(seq=1)

    outbox.settle(pack, Verdict(DeliveryOutcome.REFUSED, status=422, answer=FAULT))

    path = f"orders/{order.seller_order_reference}"
    report = client.get(f"/api/{path}", headers={"X-Sandbox-Control": "1"}).json()
    assert REASON in client.get(f"/{path}").content.decode()
    assert report["visits"][0]["refusal"].endswith(REASON)
