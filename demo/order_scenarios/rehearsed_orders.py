"""`manage.py rehearse --orders`: short stories by seed, and afterwards both sides' records of the jobs compared."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from demo.environment import run_command, wait_until
from demo.order_scenarios import playing
from demo.order_scenarios.stage import ScenarioStage, open_stage
from demo.order_scenarios.stories import Story, load_stories
from demo.rehearsal import findings
from demo.rehearsal.sandbox_client import LoggedMessage

STORIES = 6
SETTLING_SECONDS = 180


def draw_stories(*, seed: int, number: int = STORIES) -> list[Story]:
    """So many of the short ones, in the order in which all are listed."""
    short = [story for story in load_stories().values() if story.is_short]
    drawn = Random(seed).sample(short, min(number, len(short)))  # noqa: S311  # which stories, not keys
    return [story for story in short if story in drawn]


def rehearse_orders(folder: Path, *, seed: int, say: Callable[[str], None]) -> list[str]:
    """What was otherwise than it should be, in any story or between the two records; a line for each."""
    notes: list[str] = []
    stage = open_stage(folder, notes=notes)
    try:
        results = playing.play(stage, draw_stories(seed=seed), say=say)
        stage.supervisor.look()
        found = _compare(stage)
    finally:
        stage.stop()
    played = [f"{result.story.name}: {trouble}" for result in results for trouble in result.trouble]
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
