"""Service configuration of an order: gross errors only (order-provisioning.md, Errors; D2)."""

from collections.abc import Iterator
from typing import Any

from seller_sandbox.network import products
from seller_sandbox.network.models import Buyer, Location, Product, Service
from seller_sandbox.orders import limits, reasons
from seller_sandbox.orders.reasons import Reason

Configuration = dict[str, Any]
MAX_DIGITS = 4
# as long as what a service can have
MAX_LENGTHS = {
    name: Service._meta.get_field(name).max_length or 0
    for name in ("agent_remote_id", "authentication_protocol")
}


def check_configuration(
    configuration: Configuration, *, buyer: Buyer, product: Product, location: Location
) -> Iterator[Reason]:
    """A VLAN outside 1 to 4094, an ENNI that was not offered, a line profile that the product does not have, or a text
    that is too long."""
    vlans = [configuration.get(name, "") for name in ("s_vlan", "c_vlan")]
    if any(not _is_vlan(text) for text in vlans if text):
        yield reasons.CONFIGURATION_VLAN
    nni = configuration.get("nni_identifier", "")
    if nni and nni not in products.list_nni_identifiers(product=product, location=location, buyer=buyer):
        yield reasons.CONFIGURATION_NNI
    profile = configuration.get("line_profile", "")
    if profile and profile not in product.line_profiles:
        yield reasons.CONFIGURATION_PROFILE
    if any(len(configuration.get(name, "")) > most for name, most in MAX_LENGTHS.items()):
        yield reasons.CONFIGURATION_LENGTH


def _is_vlan(text: str) -> bool:
    return len(text) <= MAX_DIGITS and text.isascii() and text.isdecimal() and int(text) in limits.VLANS


def merge(members: Configuration, changes: Configuration) -> Configuration:
    """The members with what the changes name; what is empty leaves a value as it is, False is a value."""
    return {**members, **{name: value for name, value in changes.items() if value not in ("", None)}}


def in_force(service: Service) -> Configuration:
    """What notifications about a live service carry, whatever its order had asked for (Events)."""
    return {"nni_identifier": service.nni_identifier, "line_profile": service.line_profile}
