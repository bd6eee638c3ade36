"""Live services at premises: start, change of device, end. The RFS status of the premises follows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from secrets import randbelow

from django.db import transaction
from django.db.models import QuerySet

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network.models import (
    AuxiliaryService,
    Buyer,
    Location,
    Ont,
    OntModel,
    Product,
    RfsStatus,
    Service,
)

FIRST_S_VLAN, HIGHEST_VLAN = 100, 4094


@dataclass(frozen=True)
class Handover:
    """Where and how the traffic of a service is handed over to the buyer."""

    nni_identifier: str
    s_vlan: int
    c_vlan: int
    line_profile: str
    agent_remote_id: str = ""
    authentication_protocol: str = ""
    auxiliary_services: Iterable[AuxiliaryService] = field(default_factory=tuple)


def find(service_identifier: str) -> Service | None:
    return _BY_IDENTIFIER.first(identifier=service_identifier.strip())


def find_live(location: Location) -> Service | None:
    return _LIVE.first(location=location.pk)


def new_identifier() -> str:
    """A service identifier that no service has; an order may carry it long before the service starts."""
    while True:
        identifier = f"FBR{300_000_000 + randbelow(700_000_000)}"
        if not _USED_IDENTIFIER.is_found(identifier=identifier):
            return identifier


def vlans_for(number: int) -> tuple[int, int]:
    """The seller's choice of (SVLAN, CVLAN) for the order of this number: no two of 16 million are the same."""
    outer, inner = divmod(number, HIGHEST_VLAN)
    return FIRST_S_VLAN + outer % (HIGHEST_VLAN - FIRST_S_VLAN + 1), 1 + inner


def can_install_ont(*, location: Location, fsan: str, serial_number: str) -> bool:
    """Whether there is such a device, and it is not installed at other premises."""
    is_readable = all(
        0 < len(text) <= Ont._meta.get_field(name).max_length
        for name, text in (("fsan", fsan), ("serial_number", serial_number))
    )
    elsewhere = Ont.objects.filter(fsan=fsan, removed_at=None).exclude(location=location)
    return is_readable and not elsewhere.exists()


@transaction.atomic
def install_ont(
    *, location: Location, ont_model: OntModel, fsan: str, serial_number: str, at: datetime
) -> Ont:
    """Put a device into the premises, in the place of the one that is there; the same one again changes nothing."""
    _lock(location)
    current = location.onts.filter(removed_at=None).first()
    if current and (current.fsan, current.serial_number) == (fsan, serial_number):
        return current
    location.onts.filter(removed_at=None).update(removed_at=at)
    ont = Ont.objects.create(location=location, ont_model=ont_model, fsan=fsan, serial_number=serial_number)
    # a live service goes on over the new device
    location.services.filter(ended_at=None).update(ont=ont)
    _refresh_rfs_status(location)
    return ont


@transaction.atomic
def remove_ont(*, location: Location, at: datetime) -> None:
    """Take the device out of premises without a live service: ready, no ONT."""
    _lock(location)
    location.onts.filter(removed_at=None).update(removed_at=at)
    location.rfs_status = RfsStatus.RFS_1
    location.save(update_fields=["rfs_status"])


@transaction.atomic
def start(
    *,
    location: Location,
    ont: Ont,
    buyer: Buyer,
    product: Product,
    handover: Handover,
    service_identifier: str,
    at: datetime,
    ont_port: int = 1,
) -> Service:
    """A new live service. An IntegrityError says that one is still live here: end that first."""
    _lock(location)
    service = Service.objects.create(
        service_identifier=service_identifier,
        location=location,
        ont=ont,
        ont_port=ont_port,
        buyer=buyer,
        product=product,
        nni_identifier=handover.nni_identifier,
        s_vlan=handover.s_vlan,
        c_vlan=handover.c_vlan,
        line_profile=handover.line_profile,
        agent_remote_id=handover.agent_remote_id,
        authentication_protocol=handover.authentication_protocol,
        started_at=at,
    )
    service.auxiliary_services.set(handover.auxiliary_services)
    _refresh_rfs_status(location)
    return service


@transaction.atomic
def end(*, service: Service, at: datetime) -> None:
    """The service is live no more; ending it again changes nothing."""
    _lock(service.location)
    Service.objects.filter(pk=service.pk, ended_at=None).update(ended_at=max(at, service.started_at))
    service.refresh_from_db(fields=["ended_at"])
    _refresh_rfs_status(service.location)


def _with_related() -> QuerySet[Service]:
    return Service.objects.select_related("location", "ont__ont_model", "buyer", "product")


_BY_IDENTIFIER = CompiledQuery(lambda: _with_related().filter(service_identifier=Parameter("identifier")))
_USED_IDENTIFIER = CompiledQuery(
    lambda: Service.objects.filter(service_identifier=Parameter("identifier")).values_list("pk")
)
_LIVE = CompiledQuery(lambda: _with_related().filter(location=Parameter("location"), ended_at=None))
_LIVE_NUMBER = CompiledQuery(
    lambda: Service.objects.filter(location=Parameter("location"), ended_at=None).values_list("pk")
)
_LOCKED_LOCATION = CompiledQuery(
    lambda: Location.objects.select_for_update().filter(pk=Parameter("number")).values_list("pk")
)


def _lock(location: Location) -> None:
    _LOCKED_LOCATION.row(number=location.pk)


def _refresh_rfs_status(location: Location) -> None:
    """RFS_4 with a live service, RFS_3 with an ONT alone; premises without an ONT keep what they have."""
    if _LIVE_NUMBER.is_found(location=location.pk):
        location.rfs_status = RfsStatus.RFS_4
    elif location.onts.filter(removed_at=None).exists():
        location.rfs_status = RfsStatus.RFS_3
    location.save(update_fields=["rfs_status"])
