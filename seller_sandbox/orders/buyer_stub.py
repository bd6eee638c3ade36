"""A buyer to rehearse with: takes notifications over mutual TLS, keeps them, and misbehaves on demand.

Each path is a buyer of its own (/buyer-a for orders, /buyer-a/notifyAccepted and so on for fault reports). What came is
read on a second, plain port of the loopback address.
"""

import json
import time
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from django.utils import timezone
from lxml import etree

from seller_sandbox.endpoints.stub_server import StubHandler, StubServer, mutual_tls
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import callback, envelope, soap_faults
from seller_sandbox.soap.media_type import CONTENT_TYPE
from seller_sandbox.soap.problems import InvalidMessage, NotXml


class FaultMode(StrEnum):
    """`slow`, `lost` and `half` keep the notification, the others do not."""

    NORMAL = "normal"
    FAIL = "fail"
    FAULT = "fault"
    SLOW = "slow"
    DROP = "drop"
    LOST = "lost"
    HALF = "half"
    WRONG = "wrong"


KEEPING = {FaultMode.NORMAL, FaultMode.SLOW, FaultMode.LOST, FaultMode.HALF}


MAX_SECONDS = 600
VALUES = f"status is 400 to 599, seconds 0 to {MAX_SECONDS}, times 1 or more"


@dataclass
class FaultSwitch:
    """How a buyer answers; `times` messages long, None: until it is set anew."""

    mode: FaultMode = FaultMode.NORMAL
    status: int = 503
    seconds: float = 15
    times: int | None = None

    def check(self) -> None:
        """Raises ValueError for what no answer can be made of (VALUES)."""
        numbers = [self.status, self.seconds, self.times or 1]
        if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
            raise ValueError(VALUES)
        is_count = self.times is None or (isinstance(self.times, int) and self.times >= 1)
        is_status = isinstance(self.status, int) and 400 <= self.status <= 599
        if not (is_count and is_status and 0 <= self.seconds <= MAX_SECONDS):
            raise ValueError(VALUES)


@dataclass(frozen=True)
class ReceivedNotification:
    """`is_repeat`: a message with this id was kept before."""

    number: int
    buyer: str
    received_at: str
    message_id: str
    kind: str
    buyer_order_reference: str
    seller_order_reference: str
    buyer_fault_reference: str
    maintainer_fault_reference: str
    is_repeat: bool
    answered: str
    xml: str


@dataclass
class BuyerStub:
    """What came in, of all buyers in one order, and how each answers; used by many threads."""

    file: Path | None = None
    stored: list[ReceivedNotification] = field(default_factory=list)
    switches: dict[str, FaultSwitch] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def take(self, buyer: str, content: bytes) -> tuple[FaultSwitch, etree._Element]:
        """How this message is to be answered, and its element; it is kept if the mode keeps it.

        Raises NotXml, InvalidMessage.
        """
        element = envelope.open_envelope(content)
        with self.lock:
            switch = self._switch_for(buyer)
            if switch.mode in KEEPING:
                self._keep(buyer, element, content, answered=switch.mode)
        return switch, element

    def set_switch(self, buyer: str, switch: FaultSwitch) -> None:
        with self.lock:
            self.switches[buyer] = switch

    def list_kept(self, *, buyer: str = "", since: int = 0) -> list[dict[str, Any]]:
        with self.lock:
            return [asdict(row) for row in self.stored[since:] if buyer in {"", row.buyer}]

    def forget(self) -> None:
        with self.lock:
            self.stored.clear()
            self.switches.clear()

    def _switch_for(self, buyer: str) -> FaultSwitch:
        switch = self.switches.get(buyer) or self.switches.get("") or FaultSwitch()
        if switch.times is None:
            return switch
        if switch.times < 1:
            return FaultSwitch()
        switch.times -= 1
        return switch

    def _keep(self, buyer: str, element: etree._Element, content: bytes, *, answered: str) -> None:
        message_id = _text(element, "messageId")
        row = ReceivedNotification(
            number=len(self.stored) + 1,
            buyer=buyer,
            received_at=timezone.now().isoformat(),
            message_id=message_id,
            kind=_text(element, "notificationKind") or etree.QName(element).localname,
            buyer_order_reference=_text(element, "buyerOrderReference"),
            seller_order_reference=_text(element, "sellerOrderReference"),
            buyer_fault_reference=_text(element, "buyerFaultReference"),
            maintainer_fault_reference=_text(element, "maintainerFaultReference"),
            is_repeat=any(earlier.message_id == message_id for earlier in self.stored),
            answered=answered,
            xml=content.decode(errors="backslashreplace"),
        )
        self.stored.append(row)
        if self.file:
            with self.file.open("a") as lines:
                lines.write(json.dumps(asdict(row)) + "\n")


def _text(element: etree._Element, name: str) -> str:
    """Of the first element with this name, wherever it stands."""
    found = next(element.iter(f"{{*}}{name}"), None)
    return "" if found is None else (found.text or "").strip()


def _acknowledge(element: etree._Element, message_id: str) -> bytes:
    """In each interface the acknowledgement has the name of the notification with Response behind it."""
    name = etree.QName(element)
    return callback.acknowledge(message_id, namespace=name.namespace or "", name=f"{name.localname}Response")


class CallbackHandler(StubHandler):
    """The buyers' side of the wire."""

    stub: BuyerStub

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it
        buyer = urlsplit(self.path).path.strip("/").partition("/")[0]
        try:
            switch, element = self.stub.take(buyer, self.read_body())
        except (NotXml, InvalidMessage) as problem:
            fault = soap_faults.of_message(problem, INTERFACE)
            self._answer_xml(fault.status, fault.content)
            return
        self._answer(switch, element)

    def _answer(self, switch: FaultSwitch, element: etree._Element) -> None:
        acknowledgement = _acknowledge(element, _text(element, "messageId"))
        match switch.mode:
            case FaultMode.DROP | FaultMode.LOST:
                self.close_connection = True
            case FaultMode.FAIL:
                self.answer(switch.status, b"out of order\n", "text/plain; charset=utf-8")
            case FaultMode.FAULT:
                fault = soap_faults.of_status(switch.status, "The buyer refuses this notification")
                self._answer_xml(fault.status, fault.content)
            case FaultMode.WRONG:
                self._answer_xml(200, _acknowledge(element, str(uuid4())))
            case FaultMode.HALF:
                self._answer_half(acknowledgement)
            case _:
                if switch.mode == FaultMode.SLOW:
                    time.sleep(switch.seconds)
                self._answer_xml(200, acknowledgement)

    def _answer_xml(self, status: int, content: bytes) -> None:
        self.answer(status, content, CONTENT_TYPE)

    def _answer_half(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.close_connection = True


class ReadingHandler(StubHandler):
    """The loopback side: what came, and how to answer from now on."""

    stub: BuyerStub

    def do_GET(self) -> None:  # noqa: N802  # http.server calls it
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        since = query.get("since", "0")
        if parts.path != "/notifications" or not since.isdecimal():
            self._answer_json(404, {"error": "GET /notifications?buyer=buyer-a&since=0"})
            return
        rows = self.stub.list_kept(buyer=query.get("buyer", ""), since=int(since))
        self._answer_json(200, {"notifications": rows})

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it
        content = self.read_body()
        if self.headers.get_content_type() != "application/json":
            # no page of another site can send this type here
            self._answer_json(403, {"error": "Send Content-Type: application/json"})
        elif self.path == "/forget":
            self.stub.forget()
            self._answer_json(200, {})
        elif self.path == "/faults":
            self._set_fault(content)
        else:
            self._answer_json(404, {"error": "POST /faults or /forget"})

    def _set_fault(self, content: bytes) -> None:
        try:
            members = json.loads(content)
            buyer = members.pop("buyer", "")
            switch = FaultSwitch(**{**members, "mode": FaultMode(members["mode"])})
            switch.check()
        except (ValueError, TypeError, KeyError, AttributeError):
            modes = ", ".join(FaultMode)
            wanted = f"Send {{buyer?, mode, status?, seconds?, times?}}; modes are {modes}; {VALUES}"
            self._answer_json(400, {"error": wanted})
            return
        self.stub.set_switch(buyer, switch)
        self._answer_json(200, {"buyer": buyer, **asdict(switch)})

    def _answer_json(self, status: int, body: Any) -> None:
        self.answer(status, json.dumps(body).encode(), "application/json")


def callback_server(
    stub: BuyerStub, *, port: int, certificate: Path, key: Path, authority: Path
) -> StubServer:
    """Takes only callers with a certificate of this authority."""
    handler = type("BoundCallbackHandler", (CallbackHandler,), {"stub": stub})
    tls = mutual_tls(certificate=certificate, key=key, authority=authority)
    return StubServer(handler, port=port, tls=tls)


def reading_server(stub: BuyerStub, *, port: int) -> StubServer:
    return StubServer(type("BoundReadingHandler", (ReadingHandler,), {"stub": stub}), port=port)
