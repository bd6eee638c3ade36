"""A buyer of the sandbox seller: its requests over mutual TLS, each answer read (docs/order-messages.md)."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import urllib3

from demo.order_scenarios import envelopes
from demo.order_scenarios.envelopes import Message
from demo.rehearsal.app_client import SessionError, UnexpectedAnswer

SECONDS = 60
XML = {"Content-Type": "text/xml; charset=utf-8"}


@dataclass(frozen=True)
class Slot:
    """A half day as the seller offers it, word for word."""

    day: str
    start: str
    end: str

    @property
    def starts_at(self) -> datetime:
        return datetime.fromisoformat(f"{self.day}T{self.start}")


@dataclass(frozen=True)
class Reservation:
    key: str
    slot: Slot


class RejectedByAnswer(SessionError):
    """The seller's answer to a query says no; the text is its reason."""


@dataclass
class Buyer:
    """`now` gives sandbox time: a buyer's clock is right."""

    identifier: str
    url: str
    now: Callable[[], datetime]
    pool: urllib3.PoolManager = field(repr=False)

    def find_service(self, uprn: str) -> str:
        """The identifier of its own live service at these premises."""
        answer = self.send("queryInstallationDetails", {"addressKey": uprn})
        return answer.text("serviceIdentifier")

    def list_slots(
        self, uprn: str, product: str, *, first_day: date | None = None, appointment_type: str = ""
    ) -> list[Slot]:
        answer = self.send(
            "queryAppointmentAvailability",
            {
                "addressKey": uprn,
                "productName": product,
                "appointmentsFrom": first_day,
                "appointmentType": {appointment_type: True} if appointment_type else "",
            },
        )
        self._refuse_rejection(answer)
        return [_slot(part) for part in answer.parts("appointmentSlot")]

    def reserve(self, uprn: str, product: str, slot: Slot, *, appointment_type: str = "") -> Reservation:
        answer = self.send(
            "reserveAppointment",
            {
                "addressKey": uprn,
                "productName": product,
                "appointmentSlot": {
                    "appointmentDate": slot.day,
                    "appointmentStartTime": slot.start,
                    "appointmentEndTime": slot.end,
                },
                "appointmentType": {appointment_type: True} if appointment_type else "",
            },
        )
        self._refuse_rejection(answer)
        return Reservation(answer.text("appointmentReservationKey"), slot)

    def send(self, operation: str, members: dict[str, Any], *, reference: str = "") -> Message:
        """One request on the path of its operation; the answer's only element. Raises UnexpectedAnswer for a fault."""
        name = NAMES.get(operation, f"{operation}Request")
        references = {"orderReferences": {"buyerOrderReference": reference}} if reference else {}
        content = envelopes.write(name, {**self.header(), **references, **members})
        answer = self.pool.request(
            "POST", f"{self.url}/{operation}", body=content, headers=XML, timeout=SECONDS, redirect=False
        )
        if answer.status != 200:
            raise UnexpectedAnswer("POST", operation, answer.status, answer.data.decode(errors="replace"))
        return envelopes.read(answer.data)

    def header(self) -> dict[str, Any]:
        """The members that every request of the order interface begins with."""
        return {
            "message": {
                "messageId": uuid.uuid4(),
                "correlationId": uuid.uuid4(),
                "sentAt": self.now().isoformat(timespec="seconds"),
            },
            "buyer": {"buyerIdentifier": self.identifier},
            "seller": {"sellerIdentifier": "SANDBOX"},
        }

    def _refuse_rejection(self, answer: Message) -> None:
        if answer.text("status") == "Rejected":
            raise RejectedByAnswer(f"{answer.name}: {answer.text('rejectionReasonMessage')}")


# the three orders are one request
NAMES = {"order": "orderRequest", "orderModify": "orderRequest", "ceaseOrder": "orderRequest"}


def open_buyer(identifier: str, *, url: str, certs: Path, name: str, now: Callable[[], datetime]) -> Buyer:
    """A buyer that shows the certificate `name`."""
    pool = urllib3.PoolManager(
        retries=False,
        cert_file=str(certs / f"{name}.pem"),
        key_file=str(certs / f"{name}.key"),
        ca_certs=str(certs / "ca.pem"),
    )
    return Buyer(identifier, url, now, pool)


def _slot(part: Message) -> Slot:
    return Slot(
        part.text("appointmentDate"), part.text("appointmentStartTime"), part.text("appointmentEndTime")
    )
