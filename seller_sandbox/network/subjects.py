"""What a buyer's query for appointments is about."""

from seller_sandbox.network import locations, products
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Location, Product


def find(uprn: str, product_name: str) -> tuple[Location, Product]:
    """The premises and the product. Raises AppointmentNotPossible."""
    location, product = locations.find(uprn), products.find(product_name)
    if location is None:
        raise AppointmentNotPossible(f"There are no premises with the UPRN {uprn or '(missing)'}.")
    if product is None:
        raise AppointmentNotPossible(f"There is no product {product_name or '(missing)'}.")
    return location, product
