"""What `make upgrade-test` plays is what docs/operating.md tells a stranger to do."""

import re

import pytest

from tests.conventions.sources import ROOT
from tests.upgrade.side_by_side import NGINX_SECONDS, RESTARTS

UNITS = {"seller": "seller_server", "board-stream": "board_stream"}


def chapter() -> str:
    text = (ROOT / "docs" / "operating.md").read_text()
    return text.partition("### Upgrade and roll back\n")[2].partition("\n## ")[0]


def parts() -> list[str]:
    """The upgrade and the roll-back."""
    return chapter().split("\nRoll back, ")


def restarts(text: str) -> list[str]:
    lines = [line.partition("#")[0] for line in re.findall(r"systemctl restart (.*)", text)]
    units = [unit.removeprefix("fibre-dispatch-") for line in lines for unit in line.split()]
    return [UNITS.get(unit, unit) for unit in units]


def test_processes_are_restarted_in_the_handbook_s_order() -> None:
    upgrade, roll_back = map(restarts, parts())
    assert tuple(upgrade) == RESTARTS
    # as SideBySide.end_step_5 has it
    assert roll_back == [*[process for process in RESTARTS if process != "worker"], "worker"]


@pytest.mark.parametrize("part", [0, 1])
def test_first_web_server_is_ready_before_the_second_is_restarted(part: int) -> None:
    between = parts()[part].partition("web@8001\n")[2].partition("systemctl restart")[0]
    assert "http://127.0.0.1:8001/readyz" in between
    assert f"sleep {NGINX_SECONDS} " in between


def test_steps_come_in_the_order_in_which_they_are_played() -> None:
    steps = ("fibre-dispatch backup ", "preflight --backups", "migrate`", "ln -sfn", "restart", "check_link")
    positions = [chapter().index(step) for step in steps]
    assert positions == sorted(positions)
