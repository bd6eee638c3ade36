"""One message: what it says, where it stands, every try, and what can be done about it."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dispatch.board import words
from dispatch.board.ledger import TryLine, outcome_of, pretty
from dispatch.board.ledger_page import state_of, title_of
from engineers.models import Role, User
from seller_link.ledger import Times, times_of
from seller_link.masking import masked
from seller_link.models import DeliveryAttempt, InboundMessage, OutboundMessage, OutboundState


@dataclass(frozen=True)
class ShownTry:
    line: TryLine
    answer: str


@dataclass(frozen=True)
class Fact:
    label: str
    value: str


@dataclass(frozen=True)
class MessagePage:
    """`is_masked`: personal members are hidden, and this person may have them shown."""

    pk: int
    message_id: str
    is_to_seller: bool
    title: str
    operation: str
    job_id: str
    tone: str
    icon: str
    state: str
    why: str
    times: list[Fact]
    facts: list[Fact]
    body: str
    body_before: str
    answer: str
    tries: list[ShownTry]
    is_masked: bool
    can_replay: bool
    can_correct: bool
    draft: str
    problems: list[str]


def sees_all(user: User) -> bool:
    """Supervisors answer for personal data; a dispatcher asks for it, message by message, and it is audited."""
    return user.role == Role.SUPERVISOR


def sent_page(
    message: OutboundMessage, *, is_shown: bool, draft: str = "", problems: list[str] | None = None
) -> MessagePage:
    tone, icon, state = state_of(message)
    is_held = message.state == OutboundState.HELD
    body = _text(message.body, is_shown=is_shown)
    return MessagePage(
        pk=message.pk,
        message_id=str(message.message_id),
        is_to_seller=True,
        title=title_of(message),
        operation=message.operation,
        job_id=message.job.provider_job_id,
        tone=tone,
        icon=icon,
        state=state,
        why=_why(message),
        times=_times(times_of(message), acknowledged=_("Acknowledged by the seller")),
        facts=_sent_facts(message),
        body=body,
        body_before=_text(message.body_before, is_shown=is_shown) if message.body_before else "",
        answer="",
        tries=[_try(one, is_shown=is_shown) for one in message.tries.all()],
        is_masked=not is_shown,
        can_replay=True,
        can_correct=is_held and (is_shown or bool(problems)),
        draft=draft or body,
        problems=problems or [],
    )


def said_page(message: InboundMessage, *, is_shown: bool) -> MessagePage:
    tone, icon, state = state_of(message)
    return MessagePage(
        pk=message.pk,
        message_id=message.said_id,
        is_to_seller=False,
        title=title_of(message),
        operation=message.operation,
        job_id=message.job.provider_job_id if message.job else "",
        tone=tone,
        icon=icon,
        state=state,
        why="",
        times=_times(times_of(message), acknowledged=_("Acknowledged to the seller")),
        facts=_said_facts(message),
        body=_text(message.body, is_shown=is_shown),
        body_before="",
        answer=pretty(message.answer),
        tries=[],
        is_masked=not is_shown,
        can_replay=False,
        can_correct=False,
        draft="",
        problems=[],
    )


def _text(body: Any, *, is_shown: bool) -> str:
    if is_shown:
        return pretty(body)
    hidden = masked(body)
    return hidden if isinstance(hidden, str) else json.dumps(hidden, indent=2, ensure_ascii=False)


def _try(attempt: DeliveryAttempt, *, is_shown: bool) -> ShownTry:
    line = TryLine(
        endpoint=attempt.endpoint,
        at=words.exact_words(attempt.started_at),
        milliseconds=attempt.milliseconds,
        outcome=outcome_of(attempt),
    )
    return ShownTry(line, _text(attempt.answer, is_shown=is_shown) if attempt.answer else "")


def _times(times: Times, *, acknowledged: str) -> list[Fact]:
    told = [
        (_("Happened"), times.happened),
        (_("Recorded here"), times.recorded),
        (acknowledged, times.acknowledged),
    ]
    return [Fact(label, words.exact_words(at) if at else _("not yet")) for label, at in told]


def _sent_facts(message: OutboundMessage) -> list[Fact]:
    facts = [Fact(_("Place in its job"), str(message.seq))]
    if message.state == OutboundState.READY:
        facts.append(Fact(_("Next try"), words.exact_words(message.next_try_at)))
    if message.replay:
        facts.append(Fact(_("Sent again because"), message.replay.why))
    return facts


def _said_facts(message: InboundMessage) -> list[Fact]:
    facts = [
        Fact(_("Answered"), str(message.answer_status)),
        Fact(_("Certificate"), message.peer_subject or _("none")),
        Fact(_("From address"), message.peer_address),
    ]
    if message.repeats and message.repeated_at:
        said = _("%(number)s times, last %(at)s; each time it got the first answer and changed nothing")
        repeated = {"number": message.repeats, "at": words.exact_words(message.repeated_at)}
        facts.append(Fact(_("Came again"), said % repeated))
    return facts


def _why(message: OutboundMessage) -> str:
    if message.state == OutboundState.HELD:
        refused = _(
            "Refused by the seller: %(why)s. Later messages of this job wait behind it; nothing is lost."
        )
        return refused % {"why": message.held_reason or _("no reason given")}
    if message.state == OutboundState.READY and message.failures:
        return _("%(number)s tries in vain. It is tried again by itself.") % {"number": message.failures}
    return ""
