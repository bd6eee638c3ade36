"""A buyer's line to the endpoint, its callback and the partner, for tests of what is rejected over mutual TLS."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from seller_sandbox.orders import reasons
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.wire import parsing, paths
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest, ParsedRequest
from seller_sandbox.tests import buyer_stub_process
from seller_sandbox.tests.buyer_stub_process import Stub
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.partner import Partner
from seller_sandbox.tests.processes import Caller, Response

# kind of the notification (or status of the answer), code, text
Rejection = tuple[str, str, str]


def reason_in(xml: str) -> tuple[str, str]:
    names = ("rejectionReasonCode", "rejectionReasonMessage")
    code, text = (etree.fromstring(xml.encode()).findtext(f".//{{*}}{name}", "") for name in names)
    return code, text


def expected(code: str, kind: str) -> Rejection:
    return kind, code, reasons.by_code()[code].message


@dataclass(frozen=True)
class Wire:
    """The endpoint, the buyers' callback and the partner, each a process or thread of its own."""

    folder: Path
    port: int
    stub: Stub
    partner: Partner

    def send(self, message: ParsedRequest) -> Response:
        name = message.header.buyer_identifier.lower().replace("buyer", "buyer-")
        line = Caller(self.folder, self.port, certificate=name)
        answer = line.send("POST", paths.operation_of(message), parsing.build(message), "text/xml")
        assert answer.status == 200, answer.body
        return answer

    def order(self, **members: Any) -> Order:
        """Taken; nothing is decided yet."""
        self.send(samples.request(**members))
        return Order.objects.select_related("buyer").last()

    def amend(self, order: Order, **changes: Any) -> Order:
        assert status_of(self.send(amendment(order, **changes))) == "Pending"
        return order

    def cancel(self, order: Order) -> Order:
        assert status_of(self.send(cancellation(order))) == "Pending"
        return order

    def deliver(self) -> None:
        """What waits for buyers and partner, and what follows from their answers."""
        samples.clock.move(seconds=samples.A_MINUTE)
        for kind in ("order", "order", "job", "order"):
            buyer_stub_process.send_all(kind)

    def last_rejections(self) -> dict[str, Rejection]:
        """The last notification about each order, by the seller's reference."""
        self.deliver()
        return {
            row["seller_order_reference"]: (row["kind"], *reason_in(row["xml"]))
            for row in self.stub.received()
        }


def status_of(answer: Response) -> str:
    return etree.fromstring(answer.body.encode()).findtext(".//{*}status")


def amendment(order: Order, **changes: Any) -> AmendOrderRequest:
    return AmendOrderRequest(samples.header_about(order), order.seller_order_reference, changes)


def cancellation(order: Order, code: str = "300") -> CancelOrderRequest:
    return CancelOrderRequest(samples.header_about(order), order.seller_order_reference, code, "Not needed")
