import pytest

from seller_sandbox.network.loading import load_network


@pytest.fixture
def network(db: None) -> None:
    """The data files and two premises of each situation."""
    load_network(copies=2)
