"""The network nodes that a service's traffic passes (faults-and-diagnostics.md, Service diagnostics result)."""

from collections.abc import Mapping
from dataclasses import dataclass

from seller_sandbox.diagnostics import data_tables
from seller_sandbox.network import locations, services
from seller_sandbox.network.models import Service

ENNI, INTERCONNECT, HANDOFF, PON = "ENNI", "Interconnect", "Handoff", "PON"
NAMES = (ENNI, INTERCONNECT, HANDOFF, PON)
UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class ServicePath:
    """What a line test needs to know of a service; `nodes` is the node of each name, `access` Local, National or "".

    `live` is the service itself; a service that a job is about to provide has none yet.
    """

    service_identifier: str
    uprn: str
    access: str
    nodes: Mapping[str, str]
    live: Service | None = None

    @property
    def own_nodes(self) -> list[str]:
        """The names of the nodes that the service uses itself: of both lists where its access is not known."""
        lists = configurations()
        return lists[self.access] if self.access in lists else sorted({*lists["Local"], *lists["National"]})


def configurations() -> dict[str, list[str]]:
    """The names of the nodes in the order of the document, by access."""
    return data_tables.read("node_load")["configurations"]


def of_service(service: Service) -> ServicePath:
    location = service.location
    return ServicePath(
        service_identifier=service.service_identifier,
        uprn=location.uprn,
        access=service.product.access,
        nodes=_nodes(
            enni=service.nni_identifier,
            area=location.area,
            buyer=service.buyer.identifier,
            cabinet=location.cabinet.name,
        ),
        live=service,
    )


def of_premises(uprn: str, *, service_identifier: str = "") -> ServicePath:
    """The path of the live service, or of this one that is not live yet; the network may not know the premises."""
    location = locations.find(uprn)
    live = services.find_live(location) if location else None
    if live and service_identifier in {"", live.service_identifier}:
        return of_service(live)
    area = location.area if location else UNKNOWN
    cabinet = location.cabinet.name if location else uprn
    nodes = _nodes(enni=f"ENNI-{area}", area=area, buyer=UNKNOWN, cabinet=cabinet)
    return ServicePath(service_identifier=service_identifier, uprn=uprn, access="", nodes=nodes)


def _nodes(*, enni: str, area: str, buyer: str, cabinet: str) -> dict[str, str]:
    """An Interconnect for each area, a Handoff for each buyer, a PON for each cabinet."""
    return {ENNI: enni, INTERCONNECT: f"INT-{area}", HANDOFF: f"HO-{buyer}", PON: f"PON-{cabinet}"}
