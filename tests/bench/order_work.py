"""Orders of a town through the sandbox seller, in a process with its settings; prints one JSON object.

`python -m tests.bench.order_work rate --orders N`: N appointed installs from the buyer's bytes to the queued createJob,
taken by this process and validated and committed by a worker of its own.
`… year --orders N`: a year in which N orders of all courses are placed, and what has a visit is visited; every message
goes to a stub in this process. Both print seconds, and seconds of the processes' processor time.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from typing import IO, Any
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seller_sandbox.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from seller_sandbox import clock, due_actions  # noqa: E402
from seller_sandbox.endpoints.exchange import Request  # noqa: E402
from seller_sandbox.messages.models import OutboundMessage  # noqa: E402
from seller_sandbox.messages.worker import DUE_ACTIONS_AT_ONCE, LOOK_EVERY_SECONDS  # noqa: E402
from seller_sandbox.network import appointments  # noqa: E402
from seller_sandbox.network.appointments import AppointmentNotPossible  # noqa: E402
from seller_sandbox.network.models import AppointmentType, Buyer, Location, Product, Service  # noqa: E402
from seller_sandbox.orders import receiver  # noqa: E402
from seller_sandbox.orders.models import Order, OrderEvent  # noqa: E402
from seller_sandbox.orders.states import OrderState  # noqa: E402
from seller_sandbox.orders.wire import parsing  # noqa: E402
from seller_sandbox.orders.wire.requests import Header, OrderRequest, SiteInformation  # noqa: E402
from tests.bench import order_partner  # noqa: E402

PREMISES = 5000
VISITS_OF_A_HALF_DAY = 200
PRODUCT = "Residential FTTH Local Access 160 Mbps"
SITE = SiteInformation(contact_name="Sam Field", contact_phone="07700 900123")
# where the fixed test premises are
FIXED_AREAS = ("KWL-TEST", "KWL-SCARCE", "KWL-SINGLE", "KWL-NONE")
APPOINTED = ("RFS_1", "RFS_2")
# by then the seller has validated and committed
STEPS_SECONDS = 60
DAYS = 365
# the local hour at which a day begins here: inside the morning's slots, and so many hours later inside the afternoon's,
# also when the clocks change
MORNING = 9.5
HOURS_TO_AFTERNOON = 5
AN_HOUR = 3600
A_DAY = 24 * AN_HOUR

Result = dict[str, Any]


class Town:
    """The premises of a town, and a buyer who orders at each of them once."""

    def __init__(self) -> None:
        call_command("migrate", verbosity=0)
        call_command("make_town", premises=PREMISES, visits=VISITS_OF_A_HALF_DAY, stdout=sys.stderr)
        self.buyer = Buyer.objects.get(identifier="BUYERA")
        self.product = Product.objects.get(name=PRODUCT)
        town = Location.objects.exclude(area__in=FIXED_AREAS)
        self.premises = town.select_related("cabinet").order_by("id")

    def appointed(self) -> Iterator[Location]:
        return self.premises.filter(rfs_status__in=APPOINTED, property_type="FTTH").iterator()

    def install(self, location: Location) -> OrderRequest | None:
        """With an appointment of the first free slot; None where the product cannot be had so."""
        subject = {
            "location": location,
            "product": self.product,
            "buyer": self.buyer,
            "appointment_type": AppointmentType.INSTALL,
        }
        try:
            slot = appointments.list_slots(appointments_from=None, **subject)[0]
        except AppointmentNotPossible:
            return None
        key = str(appointments.reserve(slot=slot, **subject).key)
        return self.request(uprn=location.uprn, product_name=PRODUCT, reservation_key=key)

    def order_at(self, location: Location) -> OrderRequest:
        """What premises of this status are ordered for: an install, a remote activation, or the end of a service."""
        if location.rfs_status in APPOINTED and (install := self.install(location)):
            return install
        live = Service.objects.filter(location=location, ended_at=None, buyer=self.buyer).first()
        if live is None:
            return self.request(uprn=location.uprn, product_name=PRODUCT)
        day = clock.today() + timedelta(days=40)
        return self.request(kind="alaCease", service_identifier=live.service_identifier, requested_date=day)

    def request(self, *, kind: str = "alaNewInstall", **members: Any) -> OrderRequest:
        header = Header(
            message_id=str(uuid4()),
            correlation_id=str(uuid4()),
            sent_at=clock.now(),
            buyer_identifier=self.buyer.identifier,
            seller_identifier="SANDBOX",
            buyer_order_reference=str(uuid4()),
        )
        return OrderRequest(header=header, kind=kind, site=SITE, **members)

    def send(self, request: OrderRequest) -> None:
        content = parsing.build(request)
        message = Request("A", "", "POST", "text/xml", content, self.buyer.subject, "127.0.0.1")
        answer = receiver.receive(message)
        if answer.status != 200:
            raise RuntimeError(f"the sandbox seller answered {answer.status}: {answer.content!r}")


def rate(orders: int) -> Result:
    """Reservations are made before: they are other messages."""
    town = Town()
    requests = list(islice(filter(None, map(town.install, town.appointed())), orders))
    if len(requests) < orders:
        raise RuntimeError(f"the town has {len(requests)} premises for {orders} orders")
    done = with_worker(lambda: [town.send(request) for request in requests], jobs=orders)
    return {**done, "orders": orders}


def with_worker(send_all: Callable[[], object], *, jobs: int) -> Result:
    """As a deployment works: this process takes the messages, another one does what falls due."""
    command = [sys.executable, "-m", "tests.bench.order_work", "worker", f"--orders={jobs}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        output = worker.stdout
        assert output
        # it has begun to look
        output.readline()
        with_times = measured(lambda: _send_until_done(send_all, output))
        of_worker = json.loads(output.read())
    return {
        "seconds": with_times["seconds"],
        "processor_seconds": with_times["processor_seconds"] + of_worker["processor_seconds"],
        "of_worker": of_worker["processor_seconds"],
    }


def _send_until_done(send_all: Callable[[], object], output: IO[str]) -> None:
    """Until the worker says that so many createJob are queued."""
    send_all()
    output.readline()


def work(orders: int) -> Result:
    """The worker's part, without its deliveries: what falls due, until so many createJob are queued."""
    _report("ready")
    with_times = measured(lambda: _work_until_queued(orders))
    _report("done")
    return with_times


def _report(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _work_until_queued(orders: int) -> None:
    queued = OutboundMessage.objects.filter(operation="createJob")
    while queued.count() < orders:
        while due_actions.run_due(limit=DUE_ACTIONS_AT_ONCE, together=DUE_ACTIONS_AT_ONCE):
            pass
        time.sleep(LOOK_EVERY_SECONDS)


def year(orders: int) -> Result:
    """Orders are spread over the year; the stubs answer what waits, and every visit is made in its slot."""
    town = Town()
    clock.advance(seconds=_until_morning())
    premises = list(islice(town.premises.iterator(), orders))
    with_times = measured(lambda: _live(town, premises))
    return {
        **with_times,
        "orders": Order.objects.count(),
        "ended": Order.objects.exclude(state__in=[OrderState.ACKNOWLEDGED, OrderState.COMMITTED]).count(),
        "completed": Order.objects.filter(state=OrderState.COMPLETED).count(),
        "messages": OutboundMessage.objects.exclude(settled_at=None).count(),
        "events": OrderEvent.objects.count(),
    }


def _live(town: Town, premises: list[Location]) -> None:
    share = -(-len(premises) // (DAYS - 60))
    for number in range(DAYS):
        for location in premises[number * share : (number + 1) * share]:
            # as the seller does with a message: one reading of the clock for all that follows
            with clock.at(clock.now()):
                request = town.order_at(location)
            town.send(request)
        clock.move(seconds=STEPS_SECONDS)
        order_partner.answer_all()
        order_partner.visit_all()
        clock.move(seconds=HOURS_TO_AFTERNOON * AN_HOUR)
        order_partner.answer_all()
        order_partner.visit_all()
        clock.move(seconds=A_DAY - HOURS_TO_AFTERNOON * AN_HOUR - STEPS_SECONDS)
        order_partner.answer_all()


def _until_morning() -> int:
    """Seconds to the next morning by the local clock, so that a measurement at night is that of the day."""
    now = clock.now().astimezone(settings.LOCAL_ZONE)
    seconds = int(MORNING * AN_HOUR) - (now.hour * AN_HOUR + now.minute * 60 + now.second)
    return seconds % A_DAY


def measured(work: Callable[[], None]) -> Result:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return {
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - processor,
    }


WORK: dict[str, Callable[[int], Result]] = {"rate": rate, "worker": work, "year": year}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*WORK])
    parser.add_argument("--orders", type=int, required=True)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    json.dump(WORK[options.what](options.orders), sys.stdout)


if __name__ == "__main__":
    main()
