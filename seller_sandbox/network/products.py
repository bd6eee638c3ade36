"""Which products premises and an account may have (order-provisioning.md, availableProduct)."""

from dataclasses import dataclass

from django.db.models import QuerySet

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network import locations
from seller_sandbox.network.models import FTTH, Access, Buyer, Location, Nni, Ont, Product, ProductGroup

_BY_NAME = CompiledQuery(lambda: Product.objects.filter(name=Parameter("name")))
_INSTALLED_ONT = CompiledQuery(
    lambda: (
        Ont.objects.filter(location=Parameter("location"), removed_at=None)
        .select_related("ont_model")
        .order_by("id")
    )
)
_PERMITTED = CompiledQuery(
    lambda: Buyer.products.through.objects.filter(
        buyer=Parameter("buyer"), product=Parameter("product")
    ).values_list("pk")
)
_OFFERED = CompiledQuery(
    lambda: ProductGroup.products.through.objects.filter(
        productgroup=Parameter("group"), product=Parameter("product")
    ).values_list("pk")
)
_NNIS = CompiledQuery(lambda: Nni.objects.filter(buyer=Parameter("buyer")))


@dataclass(frozen=True)
class AvailableProduct:
    """`appointment_required` is "yes", "no" or "maybe"."""

    product: Product
    appointment_required: str
    nni_identifiers: list[str]
    is_complex: bool


def find(name: str) -> Product | None:
    return _BY_NAME.first(name=name.strip())


def list_available(*, location: Location, buyer: Buyer) -> list[AvailableProduct]:
    """What the buyer may order here now; empty for premises that cannot be ordered."""
    if not locations.is_orderable(location, clock.today()):
        return []
    ont, nnis = find_ont(location), list(buyer.nnis.all())
    available = [_describe(product, location, nnis, ont) for product in _permitted(location, buyer)]
    return [entry for entry in available if entry.nni_identifiers and _can_be_activated(entry, ont)]


def find_ont(location: Location) -> Ont | None:
    """The ONT that is installed at the premises now."""
    return _INSTALLED_ONT.first(location=location.pk)


def supports(ont: Ont, product: Product) -> bool:
    """Whether the installed ONT's type can carry the product."""
    return ont.ont_model.products.filter(pk=product.pk).exists()


def is_permitted(*, product: Product, buyer: Buyer) -> bool:
    """Whether the account may order it anywhere."""
    return _PERMITTED.is_found(buyer=buyer.pk, product=product.pk)


def is_offered_at(*, product: Product, location: Location) -> bool:
    """Whether the premises may have it, whoever orders."""
    return (
        product.is_ftth
        and location.property_type == FTTH
        and _OFFERED.is_found(group=location.product_group_id, product=product.pk)
    )


def is_complex_at(*, product: Product, location: Location) -> bool:
    """Whether an order here takes surveys and building; where an ONT is installed, all that has been done (D8)."""
    return product.is_complex and not locations.has_ont(location)


def list_nni_identifiers(*, product: Product, location: Location, buyer: Buyer) -> list[str]:
    """The buyer's ENNIs that can take this product's traffic from here, the seller's first choice first."""
    return _nni_identifiers(_NNIS.all(buyer=buyer.pk), product, location)


def takes_traffic(nni: Nni, product: Product, area: str) -> bool:
    """National Access goes to an ENNI without areas, Local Access to one of the premises' own area."""
    return not nni.areas if product.access == Access.NATIONAL else area in nni.areas


def _permitted(location: Location, buyer: Buyer) -> QuerySet[Product]:
    offered = Product.objects.filter(is_ftth=True, groups=location.product_group_id)
    return offered.filter(buyers=buyer).prefetch_related("ont_models").order_by("id")


def _describe(product: Product, location: Location, nnis: list[Nni], ont: Ont | None) -> AvailableProduct:
    required = _appointment_required(product, ont)
    is_complex = is_complex_at(product=product, location=location)
    return AvailableProduct(product, required, _nni_identifiers(nnis, product, location), is_complex)


def _nni_identifiers(nnis: list[Nni], product: Product, location: Location) -> list[str]:
    return [nni.identifier for nni in nnis if takes_traffic(nni, product, location.area)]


def _appointment_required(product: Product, ont: Ont | None) -> str:
    """Without an ONT yes; with one that supports the product maybe, else yes. A product that no engineer is ever
    booked for says no (ours: the document gives no other use of it)."""
    if product.is_remote_only:
        return "no"
    return "maybe" if ont and _carries(ont, product) else "yes"


def _can_be_activated(entry: AvailableProduct, ont: Ont | None) -> bool:
    """Remote activation needs an ONT that is there already and carries the product."""
    return not entry.product.is_remote_only or (ont is not None and _carries(ont, entry.product))


def _carries(ont: Ont, product: Product) -> bool:
    return ont.ont_model_id in {ont_model.pk for ont_model in product.ont_models.all()}
