"""Messages of the partner through the receiver of the endpoint, in the test's own process."""

import json
from datetime import datetime
from typing import Any

from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.jobs import receiver
from seller_sandbox.jobs.models import Job
from seller_sandbox.tests import make


def take(operation: str, body: dict[str, Any]) -> None:
    """The message arrives, and a strict seller accepts it."""
    content = json.dumps(body).encode()
    request = Request("A", operation, "POST", "application/json", content, "partner", "127.0.0.1")
    assert receiver.receive(request).status == 200


def go_on_site(job: Job, *, at: datetime) -> None:
    """All that a partner reports until its engineer is on site, each as of this moment."""
    instant = at.isoformat()
    take("notifyJob", make.assigned(job, occurredAt=instant))
    take("notifyJob", make.on_the_way(job, occurredAt=instant))
    take("notifyJob", make.on_the_way(job, "onSite", occurredAt=instant))
