"""A buyer's messages about faults: tickets, repair slots and line tests (docs/fault-messages.md)."""

import uuid
from dataclasses import dataclass
from typing import Any

from demo.order_scenarios import envelopes
from demo.order_scenarios.buyer import SECONDS, XML, Buyer, Reservation, Slot
from demo.order_scenarios.envelopes import Message
from demo.rehearsal.app_client import SessionError, UnexpectedAnswer

PATH = "sandbox/api2"
REPORTER = {"name": "Ada Bell", "phone": "0113 496 0001"}
END_USER = {"name": "Jo Marsh", "phone": "07700 900123"}
REFUSED = 400


@dataclass(frozen=True)
class FaultBuyer:
    """The same account on the other interface."""

    buyer: Buyer

    def reserve(self, uprn: str, product: str, *, nth: int) -> Reservation:
        """A repair slot, the first one with nth 0. Raises SessionError."""
        premises = {"addressKey": uprn, "productName": product}
        kind = {"appointmentType": {"repair": True}}
        head = self.buyer.header()
        answer = self._send("queryAppointmentAvailability", {**head, **premises, **kind})
        slots = answer.parts("appointmentSlot")
        if len(slots) <= nth:
            raise SessionError(f"no repair slot: {answer.text('rejectionReasonMessage')}")
        names = ("appointmentDate", "appointmentStartTime", "appointmentEndTime")
        wanted = {name: slots[nth].text(name) for name in names}
        head = self.buyer.header()
        members = {**head, **premises, "appointmentSlot": wanted, **kind}
        answer = self._send("reserveAppointment", members)
        return Reservation(answer.text("appointmentReservationKey"), Slot(*wanted.values()))

    def report(self, reference: str, *, service: str, details: dict[str, Any], key: str) -> Message:
        now = self.buyer.now().isoformat(timespec="seconds")
        return self._send(
            "addFaultReport",
            {
                **self._head(),
                "reportDateTime": now,
                "reporterContactDetails": REPORTER,
                "endUserContactDetails": END_USER,
                "serviceAffected": service,
                "buyerFaultReference": reference,
                "faultDetails": {**details, "faultStartTime": now},
                "appointment": {"appointmentReservationKey": key} if key else {},
            },
        )

    def about(
        self, operation: str, reference: str, members: dict[str, Any], *, refused: bool = False
    ) -> None:
        """A message about a ticket; `refused`: it must be answered with a 400. Raises SessionError."""
        content = {**self._head(), "buyerFaultReference": reference, **members}
        try:
            self._send(operation, content)
        except UnexpectedAnswer as problem:
            if refused and problem.status == REFUSED:
                return
            raise
        if refused:
            raise SessionError(f"{operation} was taken and should have been refused")

    def test_line(self, service: str) -> str:
        """The next best action's code."""
        members = {**self._head(), "serviceId": service}
        answer = self._send("requestServiceDiagnostics", members, namespace=envelopes.DIAGNOSTICS)
        return answer.text("code")

    def _send(self, operation: str, members: dict[str, Any], *, namespace: str = envelopes.FAULTS) -> Message:
        content = envelopes.write(operation, members, namespace=namespace)
        answer = self.buyer.pool.request(
            "POST",
            f"{self.buyer.url}/{PATH}/{operation}",
            body=content,
            headers=XML,
            timeout=SECONDS,
            redirect=False,
        )
        if answer.status != 200:
            raise UnexpectedAnswer("POST", operation, answer.status, answer.data.decode(errors="replace"))
        return envelopes.read(answer.data)

    def _head(self) -> dict[str, Any]:
        return {
            "apiVersion": "1.1",
            "buyerIdentifier": self.buyer.identifier,
            "sentAt": self.buyer.now().isoformat(timespec="seconds"),
            "messageId": uuid.uuid4(),
        }
