"""The seller's messages through the real inbox, without a socket."""

from collections.abc import Sequence

from seller_link import inbox
from seller_link.caller_authorization import Peer
from seller_link.inbox import InboundRequest, InboundResponse
from tests.seller_link.wire import raw

PEER = Peer(subject="seller", address="127.0.0.1")


def say(operation: str, body: object) -> InboundResponse:
    return say_all(operation, [body])[0]


def say_all(operation: str, bodies: Sequence[object]) -> list[InboundResponse]:
    """At once, as the server hands over what came while it was busy."""
    return inbox.receive([InboundRequest(operation, raw(body), PEER) for body in bodies])


def faultcode(answer: InboundResponse) -> tuple[int, str]:
    return answer.status, answer.body["fault"]["faultcode"]


def fields(answer: InboundResponse) -> list[str]:
    return [detail["field"] for detail in answer.body["fault"]["detail"]]
