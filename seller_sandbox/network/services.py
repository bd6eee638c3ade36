"""Live services at premises: start, change of device, end. The RFS status of the premises follows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from secrets import randbelow

from django.db import transaction
from django.db.models import DateTimeField, QuerySet

from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
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


def find_own(service_identifier: str, *, buyer: Buyer) -> Service | None:
    """The buyer's live service of exactly this identifier."""
    return _OWN_LIVE.first(identifier=service_identifier, buyer=buyer.pk)


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
    return is_readable and not _INSTALLED_ELSEWHERE.is_found(location=location.pk, fsan=fsan)


@transaction.atomic
def install_ont(
    *, location: Location, ont_model: OntModel, fsan: str, serial_number: str, at: datetime
) -> Ont:
    """Put a device into the premises, in the place of the one that is there; the same one again changes nothing."""
    _lock(location)
    current = _INSTALLED.first(location=location.pk)
    if current:
        if (current.fsan, current.serial_number) == (fsan, serial_number):
            return current
        _REMOVE_ONT.run(location=location.pk, at=at)
    ont = Ont.objects.create(location=location, ont_model=ont_model, fsan=fsan, serial_number=serial_number)
    # a live service goes on over the new device
    is_live = _MOVE_LIVE.run(location=location.pk, ont=ont.pk) > 0
    _set_rfs_status(location, RfsStatus.RFS_4 if is_live else RfsStatus.RFS_3)
    return ont


@transaction.atomic
def remove_ont(*, location: Location, at: datetime) -> None:
    """Take the device out of premises without a live service: ready, no ONT."""
    _lock(location)
    location.onts.filter(removed_at=None).update(removed_at=at)
    _set_rfs_status(location, RfsStatus.RFS_1)


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
    service.auxiliary_services.add(*handover.auxiliary_services)
    _set_rfs_status(location, RfsStatus.RFS_4)
    return service


@transaction.atomic
def end(*, service: Service, at: datetime) -> None:
    """The service is live no more; ending it again changes nothing."""
    _lock(service.location)
    _END.run(number=service.pk, at=max(at, service.started_at))
    (service.ended_at,) = _ENDED_AT.row(number=service.pk)
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
_OWN_LIVE = CompiledQuery(
    lambda: _with_related().filter(
        service_identifier=Parameter("identifier"), buyer=Parameter("buyer"), ended_at=None
    )
)
_END = CompiledUpdate(
    lambda: Service.objects.filter(pk=Parameter("number"), ended_at=None),
    ended_at=Parameter("at", DateTimeField()),
)
_ENDED_AT = CompiledQuery(lambda: Service.objects.filter(pk=Parameter("number")).values_list("ended_at"))
_INSTALLED = CompiledQuery(
    lambda: Ont.objects.filter(location=Parameter("location"), removed_at=None).order_by("id")
)
_INSTALLED_ELSEWHERE = CompiledQuery(
    lambda: (
        Ont.objects.filter(fsan=Parameter("fsan"), removed_at=None)
        .exclude(location=Parameter("location"))
        .values_list("pk")
    )
)
_REMOVE_ONT = CompiledUpdate(
    lambda: Ont.objects.filter(location=Parameter("location"), removed_at=None),
    removed_at=Parameter("at", DateTimeField()),
)
_MOVE_LIVE = CompiledUpdate(
    lambda: Service.objects.filter(location=Parameter("location"), ended_at=None), ont=Parameter("ont")
)
_LOCKED_LOCATION = CompiledQuery(
    lambda: Location.objects.select_for_update().filter(pk=Parameter("number")).values_list("pk")
)


def _lock(location: Location) -> None:
    _LOCKED_LOCATION.row(number=location.pk)


def _refresh_rfs_status(location: Location) -> None:
    """RFS_4 with a live service, RFS_3 with an ONT alone; premises without an ONT keep what they have."""
    if _LIVE_NUMBER.is_found(location=location.pk):
        _set_rfs_status(location, RfsStatus.RFS_4)
    elif _INSTALLED.first(location=location.pk):
        _set_rfs_status(location, RfsStatus.RFS_3)


def _set_rfs_status(location: Location, status: RfsStatus) -> None:
    location.rfs_status = status
    location.save(update_fields=["rfs_status"])
