import pytest

from seller_sandbox.tests.fixed_network import insert_network
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, committed


@pytest.fixture
def network(db: None) -> None:
    """The data files and two premises of each situation."""
    insert_network()


@pytest.fixture
def example(network: None) -> AppointedOrder:
    """Committed, with a morning appointment ten days from now."""
    return committed()
