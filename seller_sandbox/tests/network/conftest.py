import pytest

from seller_sandbox.tests.fixed_network import insert_network


@pytest.fixture
def network(db: None) -> None:
    """The data files and two premises of each situation."""
    insert_network()
