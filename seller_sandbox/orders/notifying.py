"""notifyOfOrderStatus: how an order's notifications are written, where they go, what the buyer's answer means."""

from collections.abc import Callable

from seller_sandbox.messages import message_log, outbox
from seller_sandbox.messages.channels import Channel
from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict, outcome_of
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders.wire import callback, notifications
from seller_sandbox.soap.callback import CallbackAnswer
from seller_sandbox.soap.media_type import CONTENT_TYPE


def compose(message: OutboundMessage) -> str:
    """The envelope; what it says was fixed when the event happened, and when that was.

    A clock that is moved by weeks delivers afterwards: what fell due on the way keeps its own time (D21).
    """
    head = {
        "message_id": str(message.message_id),
        "sent_at": message.created_at.isoformat(timespec="milliseconds"),
    }
    return notifications.notification({**message.members, **head}).decode()


def addresses(message: OutboundMessage) -> list[str]:
    """The buyer's callback URLs, agreed in advance."""
    urls = Buyer.objects.values_list("callback_urls", flat=True)
    return urls.get(identifier=message.thread.recipient)


def judge(message: OutboundMessage, reply: Reply) -> Verdict:
    return verdict(message, reply, read=callback.read)


def verdict(message: OutboundMessage, reply: Reply, *, read: Callable[[bytes], CallbackAnswer]) -> Verdict:
    """Only a complete acknowledgement of this very message counts as delivered; `read` reads a buyer's answer."""
    answer = read(reply.content) if reply.status else None
    is_usable = answer is not None and answer.acknowledges(str(message.message_id))
    return Verdict(
        outcome=outcome_of(reply.status, is_usable=is_usable),
        status=reply.status,
        answer=message_log.printable(reply.content) if reply.status else None,
        error=reply.error or (answer.problem if answer else ""),
        fault=answer.fault_code if answer else "",
        retry_after=reply.retry_after,
    )


def apply_answer(message: OutboundMessage, verdict: Verdict) -> list[Finding]:
    """An acknowledgement changes nothing; a refusal holds the order's later notifications, which are in order."""
    if verdict.outcome == DeliveryOutcome.REFUSED:
        outbox.hold(message.thread)
    return []


CHANNEL = Channel(
    compose=compose,
    addresses=addresses,
    judge=judge,
    on_settled=apply_answer,
    content_type=CONTENT_TYPE,
)
