"""Buyers, the partner and the seller, as far as a tester plays or moves them."""

import time
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.acceptance.orders.wire import ControlCaller, EndpointCaller, HttpAnswer, element, envelope

LOCAL_160 = "Residential FTTH Local Access 160 Mbps"
NUMBERS = range(1, 21)
A_MINUTE = 60
A_DAY = 86_400
WAIT_SECONDS = 60


@dataclass(frozen=True)
class PlacedOrder:
    """An order as the control interface knows it now."""

    seller: "Seller"
    reference: str

    @property
    def report(self) -> dict[str, Any]:
        return self.seller.control.get(f"orders/{self.reference}")

    @property
    def state(self) -> str:
        return self.report["state"]

    @property
    def kinds(self) -> list[str]:
        """What the buyer is notified of, in order."""
        return [sent["kind"] for sent in self.report["notifications"]]

    def members(self, kind: str) -> dict[str, Any]:
        """Of the newest notification of this kind."""
        found = [sent["members"] for sent in self.report["notifications"] if sent["kind"] == kind]
        assert found, f"no notification {kind}; there are {self.kinds}"
        return found[-1]

    def act(self, action: str, *, status: int | None = None, **body: Any) -> Any:
        return self.seller.control.post(f"orders/{self.reference}/{action}", body, status=status)


@dataclass(frozen=True)
class Seller:
    """The sandbox, moved by its control interface."""

    control: ControlCaller
    endpoint: str
    certs: Path

    def buyer(self, short_name: str = "a") -> "AcceptanceBuyer":
        caller = EndpointCaller(self.endpoint, self.certs, f"buyer-{short_name}")
        return AcceptanceBuyer(self, caller, f"BUYER{short_name.upper()}")

    def partner(self) -> "AcceptancePartner":
        return AcceptancePartner(self, EndpointCaller(self.endpoint, self.certs, "partner"))

    def move(self, seconds: int = A_MINUTE) -> None:
        self.control.post("clock", {"advance_seconds": seconds})

    def move_to_instant(self, moment: datetime) -> None:
        self.control.post("clock", {"set_to": moment.isoformat()})

    def move_to(self, day: date) -> None:
        """Just after the first instant of a day, wherever in Europe the clocks are."""
        self.control.post("clock", {"set_to": f"{day.isoformat()}T00:00:30Z"})

    def today(self) -> date:
        return datetime.fromisoformat(self.control.get("clock")["now"]).date()

    def unused_uprn(self, situation: int) -> str:
        """Premises of this situation (README, Test premises) that no order has used."""
        for number in NUMBERS:
            uprn = f"100{situation:02}{number:02}"
            if not self.control.get(f"network/{uprn}")["orders"]:
                return uprn
        raise AssertionError(f"all premises of situation {situation} are used: load the network anew")

    def orders_of(self, **query: str) -> list[PlacedOrder]:
        parts = "&".join(f"{name}={value}" for name, value in query.items())
        rows = self.control.get(f"orders?{parts}")["orders"]
        return [PlacedOrder(self, row["sellerOrderReference"]) for row in rows]


@dataclass(frozen=True)
class AcceptanceBuyer:
    """Sends what a buyer's system sends."""

    seller: Seller
    caller: EndpointCaller
    identifier: str

    def ask(self, path: str, root: str, content: str) -> HttpAnswer:
        return self.caller.post_xml(path, envelope(root, content, buyer=self.identifier))

    def order(self, content: str, *, path: str = "order", reference: str | None = None) -> PlacedOrder:
        """The order after the seller's first steps; `content` is alaNewInstall, alaModify or alaCease."""
        own = str(uuid4()) if reference is None else reference
        known = {found.reference for found in self.seller.orders_of(buyer=self.identifier)}
        references = element("orderReferences", element("buyerOrderReference", own)) if own else ""
        answer = self.ask(path, "orderRequest", references + content)
        assert (answer.status, answer.has("orderResponse")) == (200, True), answer.content[:500]
        new = [found for found in self._own_orders(own) if found.reference not in known]
        assert len(new) == 1, f"one new order was expected, there are {len(new)}"
        self.seller.move()
        return new[0]

    def _own_orders(self, reference: str) -> list[PlacedOrder]:
        if 1 <= len(reference) <= 36:
            return self.seller.orders_of(buyer=self.identifier, reference=reference)
        return self.seller.orders_of(buyer=self.identifier)

    def install(
        self, uprn: str, content: str = "", *, product: str = LOCAL_160, **options: Any
    ) -> PlacedOrder:
        subject = element("addressKey", uprn) + element("productName", product)
        return self.order(element("alaNewInstall", subject + content), **options)

    def reserve(
        self, uprn: str, *, product: str = LOCAL_160, kind: str = "install", first: date | None = None
    ) -> str:
        """The key of the first free slot (from this day on), as an element."""
        subject = element("addressKey", uprn) + element("productName", product)
        from_day = element("appointmentsFrom", first.isoformat()) if first else ""
        wanted_type = element("appointmentType", f"<{kind}/>")
        asked = subject + from_day + wanted_type
        slots = self.ask("queryAppointmentAvailability", "queryAppointmentAvailabilityRequest", asked)
        assert slots.has("appointmentDate"), slots.content[:800]
        names = ("appointmentDate", "appointmentStartTime", "appointmentEndTime")
        slot = "".join(element(name, slots.text(name)) for name in names)
        wanted = subject + element("appointmentSlot", slot) + wanted_type
        answer = self.ask("reserveAppointment", "reserveAppointmentRequest", wanted)
        assert answer.text("status") == "Accepted", answer.content[:800]
        return element("appointmentReservationKey", answer.text("appointmentReservationKey"))

    def amend(self, order: PlacedOrder, content: str) -> HttpAnswer:
        target = element("targetSellerOrderReference", order.reference)
        answer = self.ask("amendOrder", "amendOrderRequest", target + element("amendment", content))
        self.seller.move()
        return answer

    def cancel(self, order: PlacedOrder, code: str = "300") -> HttpAnswer:
        target = element("targetSellerOrderReference", order.reference)
        reason = element("cancellationReasonCode", code) + element("cancellationReasonMessage", "Not needed")
        answer = self.ask("cancelOrder", "cancelOrderRequest", target + element("cancellationReason", reason))
        self.seller.move()
        return answer


@dataclass(frozen=True)
class AcceptancePartner:
    """Reports what an engineer does on the job of an order."""

    seller: Seller
    caller: EndpointCaller

    def accepted_job(self, order: PlacedOrder) -> dict[str, Any]:
        """The job of the last visit, once the partner's system has accepted it."""
        job_id = order.report["visits"][-1]["sellerJobId"]
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            job = self.seller.control.get(f"jobs/{job_id}")
            if job["providerJobId"] and not job["waiting"]:
                return job
            time.sleep(0.3)
        raise AssertionError(f"the partner did not accept {job_id} within {WAIT_SECONDS} s")

    def visit(
        self,
        order: PlacedOrder,
        code: str,
        *,
        attends: bool = True,
        installs: bool = False,
        **secondary: str,
    ) -> None:
        """Attended (or not) when the slot has begun, an ONT installed (or not), and closed with this code."""
        job = self.accepted_job(order)
        start = datetime.fromisoformat(job["window"]["start"]) + timedelta(minutes=30)
        self.seller.move_to_instant(max(start, datetime.fromisoformat(self._now())))
        if attends:
            self.attend(order)
        if installs:
            self.install_ont(job)
        self.close(job, code, **secondary)

    def attend(self, order: PlacedOrder) -> dict[str, Any]:
        """The engineer is on site at the beginning of the slot."""
        job = self.accepted_job(order)
        window = job["window"]
        plan = {"plannedStart": window["start"], "plannedEnd": window["end"]}
        engineer = {"id": "e-1", "name": "Sam Field", "phone": "07700 900001"}
        position = {"coordinates": {"latitude": 53.8, "longitude": -1.55, "accuracyMetres": 12}}
        self._report(job, "engineerAssigned", engineer=engineer, **plan)
        for event in ("enRoute", "onSite"):
            self._report(job, event, engineer={"id": "e-1"}, **position)
        return job

    def install_ont(self, job: dict[str, Any]) -> None:
        """Scanned, and provisioned with success."""
        device = {"fsan": f"CXNK{uuid4().hex[:8].upper()}", "serialNumber": str(uuid4().int)[:12]}
        self._report(job, "ontScanned", ont=device, scanId=str(uuid4()))
        self.seller.control.post(f"jobs/{job['sellerJobId']}/provision", {"result": 1})
        deadline = time.monotonic() + WAIT_SECONDS
        while self.seller.control.get(f"jobs/{job['sellerJobId']}")["waiting"]:
            assert time.monotonic() < deadline, "the provisioning result was not delivered"
            time.sleep(0.3)

    def close(
        self,
        job: dict[str, Any],
        code: str,
        *,
        secondary: str = "",
        description: str = "",
        status: int = 200,
    ) -> HttpAnswer:
        """`description` is that of the secondary code; `status` is the expected one of the answer."""
        members = {"closureCode": code, "closedAt": self._now(), "questions_answers": [], "remarks": "Test"}
        if secondary:
            members |= {"secondaryClosureCode": secondary, "secondaryClosureCodeDescription": description}
        engineer = {"engineer": {"id": "e-1", "name": "Sam Field"}}
        return self._send("closeJob", job, status=status, **members, **engineer)

    def _report(self, job: dict[str, Any], event: str, **members: Any) -> None:
        self._send("notifyJob", job, event=event, occurredAt=self._now(), **members)

    def _send(self, operation: str, job: dict[str, Any], *, status: int = 200, **members: Any) -> HttpAnswer:
        head = {
            "messageId": str(uuid4()),
            "sentAt": datetime.now(UTC).isoformat(),
            "providerJobId": job["providerJobId"],
        }
        answer = self.caller.post_json(operation, {**head, **members})
        assert answer.status == status, answer.content[:800]
        return answer

    def _now(self) -> str:
        return self.seller.control.get("clock")["now"]


def next_working_day(day: date, number: int = 1) -> date:
    """Monday to Friday; bank holidays are left out by the caller's choice of numbers."""
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < 5
    return day
