"""The notifications of fault reports: how they are written, where they go, what the buyer's answer means."""

from functools import partial

from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.faults.wire import notifications
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.messages.channels import Channel
from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import Verdict
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import notifying
from seller_sandbox.soap import callback
from seller_sandbox.soap.media_type import CONTENT_TYPE


def compose(message: OutboundMessage) -> str:
    """The envelope; what it says was fixed when the event happened, and when that was.

    As with orders: a clock that is moved by days delivers afterwards, what fell due on the way keeps its own time.
    """
    head = {
        "message_id": str(message.message_id),
        "sent_at": message.created_at.isoformat(timespec="milliseconds"),
        "event_at": message.created_at.isoformat(),
    }
    kind = FaultNotificationKind(message.operation)
    return notifications.notification(kind, {**message.members, **head}).decode()


def addresses(message: OutboundMessage) -> list[str]:
    """The path of this notification below each of the buyer's callback addresses, agreed in advance."""
    urls = Buyer.objects.values_list("callback_urls", flat=True).get(identifier=message.thread.recipient)
    return [f"{url.rstrip('/')}/{message.operation}" for url in urls]


def judge(message: OutboundMessage, reply: Reply) -> Verdict:
    """Only a complete acknowledgement of this very message counts as delivered."""
    name = f"{message.operation}Response"
    read = partial(callback.read, interface=INTERFACE, name=name)
    return notifying.verdict(message, reply, read=read)


CHANNEL = Channel(
    compose=compose,
    addresses=addresses,
    judge=judge,
    on_settled=notifying.apply_answer,
    content_type=CONTENT_TYPE,
)
