"""A check of the line as the phone shows it: what to do by the seller's code (faults-and-diagnostics.md, Next Best
Action), and the states of the parts and nodes in words."""

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from dispatch.models import LineCheck, LinePart, NodeColour
from dispatch.seller_codes import LINE_PARTS, PART_TONES

PATHS = {
    "local": gettext_lazy("Local network, last busy period"),
    "national": gettext_lazy("National network, last busy period"),
}
# the seller reads English, whatever language the engineer speaks
SELLERS_LANGUAGE = "en"


@dataclass(frozen=True)
class LineAdvice:
    """What an engineer reads. `tone` colours it, as in provisioning_advice."""

    title: str | Promise
    text: str | Promise
    tone: str


ADVICE = {
    "AOK001": LineAdvice(
        gettext_lazy("The line works"),
        gettext_lazy(
            "ONT, connection and port are up. If the customer still has a problem, look at the router "
            "and the Wi-Fi."
        ),
        "good",
    ),
    "CFH001": LineAdvice(
        gettext_lazy("The ONT is offline: check the fibre"),
        gettext_lazy(
            "The network does not see the ONT. Check the connectors and the light level from the "
            "termination point to the ONT, and note which ONT lights are on. Then check again."
        ),
        "alarm",
    ),
    "CFH002": LineAdvice(
        gettext_lazy("Fault in the operator's network"),
        gettext_lazy(
            "The ONT is online, but the connection behind it is down. There is nothing to repair at the "
            "premises. Call the office."
        ),
        "alarm",
    ),
    "CFH003": LineAdvice(
        gettext_lazy("No connection, and nothing in the ONT's port"),
        gettext_lazy(
            "The ONT is online, but its Ethernet port sees no device and the connection is down. Plug "
            "in and switch on the router, then check again."
        ),
        "alarm",
    ),
    "DYG001": LineAdvice(
        gettext_lazy("The ONT has no power"),
        gettext_lazy(
            "The ONT reported that it was losing power. Check its power supply, the socket and the "
            "switch. Then check again."
        ),
        "alarm",
    ),
    "ISP001": LineAdvice(
        gettext_lazy("Nothing in the ONT's port"),
        gettext_lazy(
            "The line up to the ONT works, but its Ethernet port sees no device. Check the cable to the "
            "router and the router's power. Then check again."
        ),
        "warning",
    ),
    "ISP002": LineAdvice(
        gettext_lazy("The customer's router does not connect"),
        gettext_lazy(
            "The line up to the ONT works, but the router does not reach the internet provider. Restart "
            "the router and check its settings. If that does not help, the customer must ask the "
            "provider."
        ),
        "warning",
    ),
    "ISP003": LineAdvice(
        gettext_lazy("The line works: check the ONT's port"),
        gettext_lazy(
            "ONT and connection are up. The port sees no device or reports nothing: check the cable "
            "between ONT and router."
        ),
        "warning",
    ),
    "STF001": LineAdvice(
        gettext_lazy("The seller could not test the line"),
        gettext_lazy("This says nothing about the line. Carry on, and check again later."),
        "calm",
    ),
}


def serialize_line_check(check: LineCheck) -> dict[str, Any]:
    """In the reader's language; frontend/types/day.d.ts describes it."""
    advice = advice_for(check)
    return {
        "checked_at": check.checked_at.isoformat(),
        "is_down": check.is_down,
        "title": str(advice.title),
        "text": str(advice.text),
        "tone": advice.tone,
        "parts": [_part(key, name, part) for key, name, part in _named_parts(check)],
        "paths": [_path(path, check) for path in PATHS],
        "code": check.code,
        "answer": answer_text(check),
    }


def advice_for(check: LineCheck) -> LineAdvice:
    """Ours by the seller's code; of a code that we do not know the seller's own texts."""
    known = ADVICE.get(check.code)
    if known:
        return known
    title = check.current_status or _("Result %(code)s") % {"code": check.code}
    text = " ".join(_sentence(text) for text in (check.result, check.action) if text)
    return LineAdvice(title, text, "alarm" if check.is_down else "calm")


def _sentence(text: str) -> str:
    return text if text[-1] in ".!?" else f"{text}."


def answer_text(check: LineCheck) -> str:
    """The result on one line, in the language that the seller reads: the answer to a question of the matrix."""
    with override(SELLERS_LANGUAGE):
        states = ", ".join(
            f"{name} {LINE_PARTS[key](part.state).label}" for key, name, part in _named_parts(check)
        )
        at = check.checked_at.astimezone(UTC)
        return f"{check.code} {check.current_status}: {states}. Checked {at:%Y-%m-%d %H:%M} UTC."


def _named_parts(check: LineCheck) -> list[tuple[str, str, LinePart]]:
    return [
        ("ont", _("ONT"), check.ont),
        ("connection", _("Connection"), check.connection),
        ("port", _("Port"), check.port),
    ]


def _part(key: str, name: str, part: LinePart) -> dict[str, Any]:
    """frontend/types/day.d.ts, LineCheckPart."""
    states = LINE_PARTS[key]
    return {
        "name": name,
        "slug": PART_TONES.get((key, part.state), "unknown"),
        "state": str(states(part.state).label),
        "since": part.last_event_at.isoformat() if part.last_event_at else None,
        "before": str(states(part.changed_from).label) if part.changed_from else "",
    }


def _path(path: str, check: LineCheck) -> dict[str, Any]:
    """In the seller's order."""
    return {
        "name": str(PATHS[path]),
        "nodes": [
            {
                "name": node["name"],
                "slug": NodeColour(node["colour"]).value,
                "colour": str(NodeColour(node["colour"]).label),
            }
            for node in check.nodes
            if node["path"] == path
        ],
    }
