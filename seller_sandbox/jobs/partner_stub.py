"""A partner to rehearse orders with: accepts every createJob, cancelJob and notifyJob, and does nothing by itself.

Whoever tests the buyer interface alone has no dispatch system; its engineer's messages are sent by hand.
"""

import json
import ssl
from typing import Any

from seller_sandbox.endpoints.exchange import JSON
from seller_sandbox.endpoints.stub_server import StubHandler, StubServer


class PartnerStubHandler(StubHandler):
    """The partner's side of the wire (job-messages.md)."""

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it
        try:
            body = json.loads(self.read_body())
            answer = accept(body)
        except (ValueError, KeyError, TypeError):
            fault = {
                "faultcode": "invalidMessage",
                "faultmessage": "Send a message of the seller",
                "detail": [],
            }
            self.answer(400, json.dumps({"fault": fault}).encode(), JSON)
            return
        self.answer(200, json.dumps(answer).encode(), JSON)


def accept(body: dict[str, Any]) -> dict[str, str]:
    """The same message gets the same answer. Raises KeyError for what is no message of ours."""
    provider_job_id = body.get("providerJobId") or f"PJ-{body['sellerJobId']}"
    return {
        "messageId": body["messageId"],
        "correlationId": body["correlationId"],
        "providerJobId": provider_job_id,
    }


def partner_server(*, port: int, tls: ssl.SSLContext) -> StubServer:
    return StubServer(PartnerStubHandler, port=port, tls=tls)
