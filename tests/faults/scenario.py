"""What a scenario is: a name, what is attacked, and a play that ends with the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.faults.place import Place

BOTH = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Told:
    """`wrong` is empty when all is well; `words` say what was done, for the table."""

    wrong: list[str]
    words: str


@dataclass(frozen=True)
class Scenario:
    """`missing` says why it cannot be played on this machine, or nothing."""

    name: str
    play: Callable[[Place], Told]
    databases: Sequence[str] = BOTH
    in_short: bool = True
    missing: Callable[[], str] = field(default=str)
