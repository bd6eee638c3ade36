"""Refusals as values: the page lists them and the save refuses on the blocking ones, from one source."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is in the way.

    `code` is stable for programs, `where` names the place that mends it ("starts_at", "question:LIGHT02"),
    `message` is a sentence for a person, `blocks` tells a refusal from a warning.
    """

    code: str
    where: str
    message: str
    blocks: bool = True


class ActionRefused(Exception):
    """An expected refusal of the house; nothing has changed. Carries every problem at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)


def blocking_problems(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.blocks]
