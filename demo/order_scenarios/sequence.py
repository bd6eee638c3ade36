"""The message sequence of a scenario: read from the seller's log, printed, and compared with the expected one.

A line is `A → seller  order`: buyers by their letter, `seller`, `partner`. What a buyer is told of an order that it did
not place begins with `cease: `. Messages of different pairs go at the same time, so each pair's are compared in order.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from demo.order_scenarios import envelopes
from demo.order_scenarios.envelopes import Message
from demo.rehearsal.sandbox_client import LoggedMessage

SELLER, PARTNER = "seller", "partner"
LINE = re.compile(r"(?P<sender>\S+) → (?P<receiver>\S+)\s+(?:(?P<thread>\w+): )?(?P<what>.+)")
# the number that says why
CODES = ("delayCode", "rejectionReasonCode", "cancellationReasonCode", "warningCode")
FLAGS = ("sellerMissed", "amended", "cancelled", "endUserMissed", "endUserPreAgreed", "mborc")
MILESTONE = "complexMilestone"
REFUSED = 400


@dataclass(frozen=True)
class Line:
    """One message; `thread` is empty for the scenario's own order."""

    sender: str
    receiver: str
    what: str
    thread: str = ""

    def __str__(self) -> str:
        thread = f"{self.thread}: " if self.thread else ""
        return f"{f'{self.sender} → {self.receiver}':<17} {thread}{self.what}"

    @property
    def pair(self) -> tuple[str, str, str]:
        return self.sender, self.receiver, self.thread


class NotALine(ValueError):
    """A line of an expected sequence cannot be read; the text shows it."""


def parse_lines(text: str) -> list[Line]:
    return [_parse(line) for line in text.splitlines() if line.strip()]


def _parse(text: str) -> Line:
    found = LINE.fullmatch(text.strip())
    if found is None:
        raise NotALine(f"{text!r} is not a line like 'A → seller  order'")
    return Line(found["sender"], found["receiver"], found["what"], found["thread"] or "")


def read_lines(passages: Iterable[LoggedMessage], *, own_references: Mapping[str, str]) -> list[Line]:
    """`own_references` names the scenario's orders by the buyer's reference; what came to nothing is left out."""
    found = (_line(passage, own_references) for passage in passages if not passage.is_repeat)
    return [line for line in found if line]


def _line(passage: LoggedMessage, own_references: Mapping[str, str]) -> Line | None:
    if passage.status is None or (passage.status >= REFUSED and passage.thread_kind != "job"):
        return None
    if passage.thread_kind == "job":
        return _job_line(passage)
    if passage.arrived:
        return Line(_short_name(passage.caller), SELLER, _request(passage))
    message = envelopes.read(passage.body)
    if passage.thread_kind == "ticket":
        return Line(SELLER, _short_name(message.text("buyerIdentifier")), describe_ticket(message))
    thread = own_references.get(message.text("buyerOrderReference"), "cease")
    return Line(SELLER, _short_name(message.text("buyerIdentifier")), describe(message), thread)


def _short_name(name: str) -> str:
    """BUYERA and its certificate buyer-a are A."""
    return name[-1].upper()


def _job_line(passage: LoggedMessage) -> Line | None:
    if passage.status and passage.status >= 500:
        return None
    details = passage.closure or " ".join(passage.flags)
    refused = f" {passage.status}" if passage.status and passage.status >= REFUSED else ""
    ends = (PARTNER, SELLER) if passage.arrived else (SELLER, PARTNER)
    return Line(*ends, f"{passage.code}{f'({details})' if details else ''}{refused}")


def _request(passage: LoggedMessage) -> str:
    """The operation, and what the answer refused up front."""
    answer = envelopes.read(passage.answer)
    if answer.text("status") != "Rejected":
        return passage.operation
    return f"{passage.operation} rejected {answer.text('rejectionReasonCode')}".strip()


def describe(notification: Message) -> str:
    """The kind, and what distinguishes one of its kind from another."""
    details = [notification.text(code) for code in CODES if notification.has(code)]
    details += [flag for flag in FLAGS if notification.text(flag) == "Y"]
    if notification.text("notificationKind") == MILESTONE:
        details.append(notification.text("stage"))
    if notification.has("lateProvision"):
        figures = ("totalDelayDays", "sellerDelayDays", "otherDelayDays")
        details.append("/".join(notification.text(name) for name in figures))
    return " ".join([notification.text("notificationKind"), *details])


def describe_ticket(notification: Message) -> str:
    """The message, and what distinguishes one of its kind from another; of updates the ticket's state."""
    names = {"notifyMissedAppointment": ("missedBy", "code"), "notifyFaultReportUpdate": ("status",)}
    wanted = names.get(notification.name, ("closureCode", "rejectionReasonCode"))
    part = (notification.parts("missedAppointment") or [notification])[-1]
    details = [part.text(name) for name in wanted if part.has(name)]
    return " ".join([notification.name, *details])


def differences(expected: Sequence[Line], actual: Sequence[Line]) -> list[str]:
    """Nothing when each pair's messages are those expected, in their order; otherwise the lines that differ."""
    pairs = dict.fromkeys(line.pair for line in (*expected, *actual))
    return [difference for pair in pairs for difference in _differences_of(pair, expected, actual)]


def _differences_of(
    pair: tuple[str, str, str], expected: Sequence[Line], actual: Sequence[Line]
) -> list[str]:
    wanted, found = ([str(line) for line in lines if line.pair == pair] for lines in (expected, actual))
    compared = difflib.unified_diff(wanted, found, "expected", "happened", lineterm="", n=20)
    return list(compared)
