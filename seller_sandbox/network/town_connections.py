"""Gives premises of a made town the ONT and the live service that their RFS status needs."""

from datetime import timedelta
from random import Random

from seller_sandbox import clock
from seller_sandbox.network.models import (
    Buyer,
    Location,
    Ont,
    OntModel,
    Product,
    ProductGroup,
    RfsStatus,
)
from seller_sandbox.network.planned_premises import Catalogue, PlannedPremises, plan_ont, plan_service

ONT_WEIGHTS = {
    "Calix GP1100X": 35,
    "Nokia XS-010X-Q": 35,
    "Calix 801Gv2": 14,
    "Nokia G-010G-R": 14,
    "Calix 717GE": 2,
}
# FSANs and service identifiers of the fixed premises are lower, those of orders higher
FIRST_FSAN, FIRST_SERVICE = 0x10000000, 100_000_000
OLDEST_DAYS = 1500
BATTERY_SHARE = 0.1


class Connections:
    """Who may have what at which premises, read once."""

    def __init__(self) -> None:
        self._catalogue = Catalogue()
        self._now = clock.now()
        self._buyers_of = {
            product.pk: list(product.buyers.order_by("id")) for product in self._catalogue.products.values()
        }

    def group(self, name: str) -> ProductGroup:
        return self._catalogue.groups[name]

    def connect(self, location: Location, *, number: int, rng: Random) -> PlannedPremises:
        """The premises with what is installed there; `number` is theirs alone."""
        if location.rfs_status not in {RfsStatus.RFS_3, RfsStatus.RFS_4}:
            return PlannedPremises(location)
        name = rng.choices(list(ONT_WEIGHTS), weights=list(ONT_WEIGHTS.values()))[0]
        ont = plan_ont(location, self._catalogue.ont_models[name], number=FIRST_FSAN + number)
        if location.rfs_status == RfsStatus.RFS_3:
            return PlannedPremises(location, ont)
        return self._with_service(ont, number=number, rng=rng)

    def _with_service(self, ont: Ont, *, number: int, rng: Random) -> PlannedPremises:
        """With a live service; an ONT that can carry none here is there alone."""
        location = ont.location
        candidates = self._candidates(location, ont.ont_model)
        if not candidates:
            location.rfs_status = RfsStatus.RFS_3
            return PlannedPremises(location, ont)
        buyer, product, nni_identifier = rng.choice(candidates)
        service = plan_service(
            ont,
            buyer=buyer,
            product=product,
            nni_identifier=nni_identifier,
            number=FIRST_SERVICE + number,
            started_at=self._now - timedelta(days=rng.randint(1, OLDEST_DAYS)),
        )
        has_battery = not product.is_remote_only and rng.random() < BATTERY_SHARE
        battery = self._catalogue.auxiliary_services["BATTERY-BACKUP"]
        return PlannedPremises(location, ont, service, (battery,) if has_battery else ())

    def _candidates(self, location: Location, ont_model: OntModel) -> list[tuple[Buyer, Product, str]]:
        carried = {product.pk for product in ont_model.products.all()}
        return [
            (buyer, product, nni_identifier)
            for product in location.product_group.products.all()
            if product.pk in carried and location.property_type == "FTTH"
            for buyer in self._buyers_of[product.pk]
            if (nni_identifier := self._catalogue.nni_identifier(buyer, product, location.area))
        ]
