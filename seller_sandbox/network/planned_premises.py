"""Many premises at once, with their cabinets, ONTs and live services: what load_network and make_town insert."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from seller_sandbox.network import products, services
from seller_sandbox.network.models import (
    AuxiliaryService,
    Buyer,
    Cabinet,
    Location,
    Nni,
    Ont,
    OntModel,
    Product,
    ProductGroup,
    Service,
)


@dataclass(frozen=True)
class PlannedPremises:
    """Rows that are not in the database yet; the location names its cabinet."""

    location: Location
    ont: Ont | None = None
    service: Service | None = None
    auxiliary_services: tuple[AuxiliaryService, ...] = ()


class Catalogue:
    """What the rows refer to, read once."""

    def __init__(self) -> None:
        self.products = {product.name: product for product in Product.objects.order_by("id")}
        self.groups = {group.name: group for group in ProductGroup.objects.prefetch_related("products")}
        self.buyers = {buyer.identifier: buyer for buyer in Buyer.objects.order_by("id")}
        self.auxiliary_services = {entry.code: entry for entry in AuxiliaryService.objects.all()}
        models = OntModel.objects.order_by("id").prefetch_related("products")
        self.ont_models = {f"{model.vendor} {model.model}": model for model in models}
        self._nnis = list(Nni.objects.order_by("identifier"))

    def nni_identifier(self, buyer: Buyer, product: Product, area: str) -> str | None:
        """The first ENNI of the buyer that takes this product's traffic from the area; none when there is none."""
        own = (nni for nni in self._nnis if nni.buyer_id == buyer.pk)
        return next((nni.identifier for nni in own if products.takes_traffic(nni, product, area)), None)


def plan_ont(location: Location, ont_model: OntModel, *, number: int) -> Ont:
    """`number` makes the FSAN, as eight hexadecimal digits."""
    fsan = f"{ont_model.fsan_prefix}{number:08X}"
    return Ont(location=location, ont_model=ont_model, fsan=fsan, serial_number=f"{location.uprn:0>12}")


def plan_service(
    ont: Ont, *, buyer: Buyer, product: Product, nni_identifier: str, number: int, started_at: datetime
) -> Service:
    """On the ONT's first port; `number` makes its identifier and its VLANs."""
    s_vlan, c_vlan = services.vlans_for(number)
    return Service(
        service_identifier=f"FBR{number:09}",
        location=ont.location,
        ont=ont,
        buyer=buyer,
        product=product,
        nni_identifier=nni_identifier,
        s_vlan=s_vlan,
        c_vlan=c_vlan,
        line_profile=product.line_profiles[0],
        started_at=started_at,
    )


def insert(planned: Iterable[PlannedPremises]) -> int:
    """All but those whose UPRN is there already; says how many were inserted."""
    existing = set(Location.objects.values_list("uprn", flat=True))
    new = [premises for premises in planned if premises.location.uprn not in existing]
    _insert_cabinets([premises.location for premises in new])
    Location.objects.bulk_create(premises.location for premises in new)
    Ont.objects.bulk_create(premises.ont for premises in new if premises.ont)
    Service.objects.bulk_create(premises.service for premises in new if premises.service)
    through = Service.auxiliary_services.through
    through.objects.bulk_create(
        through(service=premises.service, auxiliaryservice=entry)
        for premises in new
        for entry in premises.auxiliary_services
    )
    return len(new)


def _insert_cabinets(locations: list[Location]) -> None:
    """A cabinet that is there already keeps its release date."""
    named = {location.cabinet.name: location.cabinet for location in locations}
    existing = {cabinet.name: cabinet for cabinet in Cabinet.objects.filter(name__in=named)}
    Cabinet.objects.bulk_create(cabinet for name, cabinet in named.items() if name not in existing)
    for location in locations:
        name = location.cabinet.name
        location.cabinet = existing.get(name) or named[name]
