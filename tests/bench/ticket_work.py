"""Fault reports of a town through the sandbox seller, in processes with its settings; prints one JSON object.

`python -m tests.bench.ticket_work --tickets N`: N outages by cut fibres, from the buyer's bytes to the queued createJob
of the revisit, taken by this process, validated and triaged by a worker of its own. Prints seconds, and seconds of
the processes' processor time.
"""

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterator
from itertools import islice
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seller_sandbox.settings")
django.setup()

from seller_sandbox import clock  # noqa: E402
from seller_sandbox.diagnostics import line_states  # noqa: E402
from seller_sandbox.endpoints.exchange import Request  # noqa: E402
from seller_sandbox.faults import receiver  # noqa: E402
from seller_sandbox.faults.wire import parsing  # noqa: E402
from seller_sandbox.faults.wire.requests import AddFaultReportRequest, TicketHeader  # noqa: E402
from seller_sandbox.network import appointments  # noqa: E402
from seller_sandbox.network.models import AppointmentType, Buyer, Service, SlotCapacity  # noqa: E402
from tests.bench.order_work import FIXED_AREAS, Result, Town, with_worker  # noqa: E402

CONTACT = {"name": "Sam Field", "phone": "07700 900123"}
VISITS_OF_A_HALF_DAY = 1000


def outages() -> Iterator[AddFaultReportRequest]:
    """One for each live service, its fibre cut and a repair slot reserved: these are other messages."""
    SlotCapacity.objects.filter(appointment_type=AppointmentType.REPAIR).update(capacity=VISITS_OF_A_HALF_DAY)
    live = Service.objects.filter(ended_at=None).exclude(location__area__in=FIXED_AREAS)
    live = live.select_related("location", "product", "buyer")
    for service in live.order_by("id"):
        line_states.cut_fibre(service.location)
        yield outage(service, key=reserve(service))


def reserve(service: Service) -> str:
    subject = {
        "location": service.location,
        "product": service.product,
        "buyer": service.buyer,
        "appointment_type": AppointmentType.REPAIR,
    }
    slot = appointments.list_slots(appointments_from=None, **subject)[0]
    return str(appointments.reserve(slot=slot, **subject).key)


def outage(service: Service, *, key: str) -> AddFaultReportRequest:
    now = clock.now()
    return AddFaultReportRequest(
        header=TicketHeader("1.1", service.buyer.identifier, now, str(uuid4())),
        buyer_fault_reference=str(uuid4()),
        report_date_time=now,
        reporter_contact_details=CONTACT,
        end_user_contact_details=CONTACT,
        service_affected=service.service_identifier,
        fault_type="Service Outage",
        description="No light",
        fault_start_time=now,
        appointment_reservation_key=key,
    )


def rate(tickets: int) -> Result:
    """Reservations are made before: they are other messages."""
    Town()
    requests = list(islice(outages(), tickets))
    if len(requests) < tickets:
        raise RuntimeError(f"the town has {len(requests)} live services for {tickets} tickets")
    subjects = dict(Buyer.objects.values_list("identifier", "subject"))
    done = with_worker(
        lambda: [send(request, subject=subjects[request.header.buyer_identifier]) for request in requests],
        jobs=tickets,
    )
    return {**done, "tickets": tickets}


def send(request: AddFaultReportRequest, *, subject: str) -> None:
    path, content = parsing.path_of(request), parsing.build(request)
    answer = receiver.receive(Request("A", path, "POST", "text/xml", content, subject, "127.0.0.1"))
    if answer.status != 200:
        raise RuntimeError(f"the sandbox seller answered {answer.status}: {answer.content!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tickets", type=int, required=True)
    tickets = parser.parse_args().tickets
    logging.disable(logging.INFO)
    json.dump(rate(tickets), sys.stdout)


if __name__ == "__main__":
    main()
