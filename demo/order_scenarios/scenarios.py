"""The scenarios, one table each in data/*.toml: a title, premises, steps, and the message sequence that is due."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo.order_scenarios.sequence import Line, parse_lines

DATA = Path(__file__).parent / "data"
USUAL_PRODUCT = "Residential FTTH Local Access 160 Mbps"


@dataclass(frozen=True)
class Step:
    """What is done, by its name in `steps.STEPS`, and how."""

    name: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Scenario:
    """`situation` is the number of the premises' situation (README.md of the sandbox); `results` answer its scans.

    `is_short`: it needs one visit at most and no window of weeks, so that a rehearsal may take it.
    """

    name: str
    title: str
    situation: int
    steps: list[Step]
    expected: list[Line]
    product: str = USUAL_PRODUCT
    results: list[int] = field(default_factory=lambda: [1])
    is_short: bool = False
    # its figures count days: it begins on a Monday with no bank holiday in the weeks behind it
    without_holidays: bool = False


class InvalidScenario(ValueError):
    """A scenario of the data files cannot be used; the text names it."""


def load_scenarios() -> dict[str, Scenario]:
    """All scenarios by name, in the order of the files and their tables."""
    found: dict[str, Scenario] = {}
    for path in sorted(DATA.glob("*.toml")):
        for scenario in _read(path):
            if scenario.name in found:
                raise InvalidScenario(f"two scenarios are named {scenario.name}")
            found[scenario.name] = scenario
    return found


def _read(path: Path) -> Iterator[Scenario]:
    for name, members in tomllib.loads(path.read_text(encoding="utf-8")).items():
        try:
            steps = [_step(step) for step in members.pop("steps")]
            expected = parse_lines(members.pop("expected"))
            yield Scenario(name=name, steps=steps, expected=expected, **members)
        except (KeyError, TypeError, ValueError) as problem:
            raise InvalidScenario(f"{path.name}: {name}: {problem}") from problem


def _step(members: dict[str, Any]) -> Step:
    options = dict(members)
    return Step(options.pop("do"), options)
