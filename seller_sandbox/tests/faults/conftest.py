import pytest
from django.conf import LazySettings

from seller_sandbox.tests.fixed_network import insert_network


@pytest.fixture
def network(db: None) -> None:
    """The data files and two premises of each situation."""
    insert_network()


@pytest.fixture(autouse=True)
def triage(request: pytest.FixtureRequest, settings: LazySettings) -> None:
    """Tickets stay where a test puts them, unless it is about triage and visits."""
    settings.TRIAGE_BY_RULES = request.node.get_closest_marker("triage") is not None
