"""A rehearsal drops only a database of its own."""

import pytest
from django.core.management.base import CommandError

from demo.ports import free_ports
from demo.rehearsal import runner


@pytest.mark.parametrize("name", ["", "postgres", "dispatch", "my_rehearse"])
def test_only_a_database_of_its_own_is_dropped(name: str) -> None:
    with pytest.raises(CommandError, match="must begin with rehearse"):
        runner.recreate_database(f"postgresql://postgres@127.0.0.1:{free_ports().people}/{name}")


def test_server_that_is_away_is_named() -> None:
    with pytest.raises(CommandError, match="PostgreSQL does not answer"):
        runner.recreate_database(f"postgresql://postgres@127.0.0.1:{free_ports().people}/rehearse_x")
