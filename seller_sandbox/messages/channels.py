"""How the messages of each kind of thread are written, where they go, and what an answer to one means.

An app that speaks to somebody registers its channel in `apps.ready()`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.expectations import Expected
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import MessageThread, OutboundMessage
from seller_sandbox.messages.verdicts import Verdict

# an object goes out as JSON, a text as it is
Body = dict[str, Any] | str


@dataclass(frozen=True)
class Channel:
    """What a kind of thread knows of its messages.

    `compose` gives a body when a message is first sent. `addresses` are the full URLs that take the message, in turn.
    `judge` reads an answer and changes nothing; `on_settled` runs in the transaction that keeps the verdict, applies
    what was answered, and gives what it finds wrong about it. `usual_answers` are due where nothing else was said.
    """

    compose: Callable[[OutboundMessage], Body]
    addresses: Callable[[OutboundMessage], list[str]]
    judge: Callable[[OutboundMessage, Reply], Verdict]
    on_settled: Callable[[OutboundMessage, Verdict], list[Finding]]
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    usual_answers: Mapping[str, Expected] = field(default_factory=dict)


_channels: dict[str, Channel] = {}


def register(kind: str, channel: Channel) -> None:
    """Let the threads of a kind use this channel."""
    if kind in _channels:
        raise ValueError(f"threads of kind {kind} have a channel already")
    _channels[kind] = channel


def channel_of(thread: MessageThread) -> Channel:
    return _channels[thread.kind]
