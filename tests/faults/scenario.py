"""What a scenario is: a name, what is attacked, and a play that ends with the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.faults.fault_system import FaultSystem

BOTH = ("sqlite", "postgresql")


@dataclass(frozen=True)
class ScenarioResult:
    """`wrong` is empty on success; `words` describe what was done, for the table."""

    wrong: list[str]
    summary: str


@dataclass(frozen=True)
class Scenario:
    """`missing` says why it cannot be played on this machine, or nothing."""

    name: str
    play: Callable[[FaultSystem], ScenarioResult]
    databases: Sequence[str] = BOTH
    in_short: bool = True
    missing: Callable[[], str] = field(default=str)
