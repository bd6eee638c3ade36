"""Plays scenarios one after the other on one stage, and says what differed from what is due; `manage.py rehearse
--orders`: short ones by seed, and afterwards both sides' records of the jobs compared."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from demo.environment import run_command, wait_until
from demo.order_scenarios import steps
from demo.order_scenarios.scenario_run import ScenarioRun, begin_scenario
from demo.order_scenarios.scenarios import Scenario, load_scenarios
from demo.order_scenarios.sequence import Line, differences
from demo.order_scenarios.stage import ScenarioStage, open_stage
from demo.rehearsal import findings
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.sandbox_client import LoggedMessage

MORNING = 9
MONDAY, SATURDAY = 0, 5
# no bank holiday of England is in the three weeks from one of their Mondays
QUIET_MONTHS = {2, 6, 9, 10}


@dataclass(frozen=True)
class PlayedScenario:
    """What went over the wire, and everything that should have been otherwise."""

    scenario: Scenario
    lines: list[Line]
    trouble: list[str] = field(default_factory=list)


def play(
    stage: ScenarioStage, scenarios: Sequence[Scenario], *, say: Callable[[str], None]
) -> list[PlayedScenario]:
    """Each scenario begins at nine in the morning of the next working day; `say` gets its sequence as it ends."""
    results = []
    for scenario in scenarios:
        result = _play(stage, scenario)
        results.append(result)
        say(as_text(result))
    return results


def _play(stage: ScenarioStage, scenario: Scenario) -> PlayedScenario:
    stage.move_to(_next_beginning(stage.clock.local_now(), without_holidays=scenario.without_holidays))
    run = begin_scenario(stage, scenario)
    trouble = _take_steps(run)
    lines = run.lines()
    return PlayedScenario(
        scenario,
        lines,
        [
            *trouble,
            *differences(scenario.expected, lines),
            *findings.contract_breaches(run.passages()),
            *run.undelivered(),
        ],
    )


def _take_steps(run: ScenarioRun) -> list[str]:
    """What went wrong on the way."""
    failing_before = run.stage.seller.failing_actions()
    for number, step in enumerate(run.scenario.steps, start=1):
        try:
            steps.STEPS[step.name](run, **step.options)
        except SessionError as problem:
            return [f"step {number} ({step.name}): {problem}"]
    return sorted(run.stage.seller.failing_actions() - failing_before)


def _next_beginning(now: datetime, *, without_holidays: bool) -> datetime:
    """Nine in the morning of the next day that a scenario may begin on."""
    begins_on = _is_quiet_monday if without_holidays else _is_weekday
    morning = now.replace(hour=MORNING, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while not begins_on(morning):
        morning += timedelta(days=1)
    return morning


def _is_weekday(moment: datetime) -> bool:
    return moment.weekday() < SATURDAY


def _is_quiet_monday(moment: datetime) -> bool:
    return moment.weekday() == MONDAY and moment.month in QUIET_MONTHS


def as_text(result: PlayedScenario) -> str:
    """Title, message sequence, and the verdict."""
    verdict = result.trouble or ["as expected"]
    return "\n".join(
        [
            f"{result.scenario.name}: {result.scenario.title}",
            *(f"    {line}" for line in result.lines),
            *(f"  {line}" for line in verdict),
            "",
        ]
    )


SCENARIOS = 6
SETTLING_SECONDS = 180


def draw_scenarios(*, seed: int, number: int = SCENARIOS) -> list[Scenario]:
    """So many of the short ones, in the order in which all are listed."""
    short = [scenario for scenario in load_scenarios().values() if scenario.is_short]
    drawn = Random(seed).sample(short, min(number, len(short)))  # noqa: S311  # which scenarios, not keys
    return [scenario for scenario in short if scenario in drawn]


def rehearse_orders(folder: Path, *, seed: int, say: Callable[[str], None]) -> list[str]:
    """What was otherwise than it should be, in any scenario or between the two records; a line for each."""
    notes: list[str] = []
    stage = open_stage(folder, notes=notes)
    try:
        results = play(stage, draw_scenarios(seed=seed), say=say)
        stage.supervisor.restart_ended()
        found = _compare(stage)
    finally:
        stage.stop()
    played = [f"{result.scenario.name}: {trouble}" for result in results for trouble in result.trouble]
    return [*played, *found, *notes]


def _compare(stage: ScenarioStage) -> list[str]:
    wait_until(stage.seller.is_at_rest, seconds=SETTLING_SECONDS)
    passages = [passage for passage in stage.seller.message_log() if passage.thread_kind == "job"]
    books = findings.compare_records(passages=passages, log=_our_log(stage))
    return [*findings.list_differences(books), *_unseen_photos(passages)]


def _unseen_photos(passages: list[LoggedMessage]) -> list[str]:
    return findings.unseen_photos(passages) if any(passage.photo_links for passage in passages) else []


def _our_log(stage: ScenarioStage) -> list[dict[str, Any]]:
    printed = run_command(stage.demo.manage("message_log"))
    return [json.loads(line) for line in printed.splitlines() if line]
