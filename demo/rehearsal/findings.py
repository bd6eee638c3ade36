"""A rehearsal's progress and results: a progress bar, tables, and what was wrong at the end, as sentences."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import urllib3

from demo.rehearsal.job_scenarios import JobScenario
from demo.rehearsal.sandbox_client import LoggedMessage, SellerJob
from seller_link.reconciliation import MessageSets, RecordedMessage, list_differences

JPEG_BEGINS = b"\xff\xd8\xff"


def contract_breaches(passages: Iterable[LoggedMessage]) -> list[str]:
    """What the seller's own checks found in our messages and answers."""
    return [
        f"{passage.job}: {passage.operation} {passage.message_id} broke the contract: {breach}"
        for passage in passages
        for breach in passage.breaches
    ]


def unplanned_outcomes(jobs: Iterable[SellerJob], fate_of: Mapping[str, JobScenario]) -> list[str]:
    """Jobs that did not end, by the seller's record, as the plan wanted."""
    return [
        f"{job.seller_job_id}: planned {expected_messages(fate)}, the seller has {job.closure or job.state.lower()}"
        for job in jobs
        if (fate := fate_of.get(job.seller_job_id))
        and expected_messages(fate) != (job.closure or job.state.lower())
    ]


def expected_messages(fate: JobScenario) -> str:
    return "cancelled" if fate.cancelled_when else fate.outcome.secondary or fate.outcome.code


def unseen_photos(passages: Sequence[LoggedMessage]) -> list[str]:
    """Photos that the seller was notified of and cannot fetch with a plain GET."""
    opener = urllib3.PoolManager(retries=False)
    links = [(passage.job, link) for passage in passages if passage.counts for link in passage.photo_links]
    if not links:
        return ["no photo reached the seller"]
    return [
        f"{job}: the photo at {link} cannot be fetched" for job, link in links if not _opens(opener, link)
    ]


def _opens(pool: urllib3.PoolManager, link: str) -> bool:
    if not link:
        return False
    answer = pool.request("GET", link, timeout=30)
    return answer.status == 200 and answer.data.startswith(JPEG_BEGINS)


__all__ = ["MessageSets", "compare_records", "list_differences"]


def compare_records(*, passages: Sequence[LoggedMessage], log: Iterable[dict[str, Any]]) -> MessageSets:
    """`log` is what `manage.py message_log` prints, line by line."""
    lines = list(log)
    ours = [line for line in lines if line["said_by"] == "us"]
    accepted = [line for line in lines if line["said_by"] == "seller" and line["state"] == "accepted"]
    counting = [passage for passage in passages if passage.counts]
    return MessageSets(
        we_sent=[_ours(line) for line in ours if line["state"] == "sent"],
        seller_received=[_theirs(passage) for passage in counting if passage.arrived],
        seller_sent=[_theirs(passage) for passage in counting if not passage.arrived],
        we_received=[_ours(line) for line in accepted],
        unsent=[_ours(line) for line in ours if line["state"] != "sent"],
    )


def _ours(line: dict[str, Any]) -> RecordedMessage:
    body = line["body"]
    parsed = json.loads(body) if isinstance(body, str) else body
    return RecordedMessage.of(line["seller_job"], line["message_id"], line["operation"], parsed)


def _theirs(passage: LoggedMessage) -> RecordedMessage:
    return RecordedMessage.of(passage.job, passage.message_id, passage.operation, passage.body)


WIDTH = 30


@dataclass
class RehearsalProgress:
    """One line that moves on a terminal, a line now and then elsewhere. For several threads."""

    total: int
    write: Callable[[str], None]
    moving: bool = field(default_factory=sys.stderr.isatty)
    done: int = 0
    lock: Lock = field(default_factory=Lock)

    def step(self, what: str) -> None:
        """One more job is over."""
        with self.lock:
            self.done += 1
            self.show(what)

    def show(self, what: str) -> None:
        filled = WIDTH * self.done // max(self.total, 1)
        bar = "█" * filled + "·" * (WIDTH - filled)
        line = f"{bar} {self.done}/{self.total}  {what}"
        if self.moving:
            self.write(f"\r{line[:110]:110}")
        elif self.done % 5 == 0 or self.done == self.total:
            self.write(f"{line}\n")

    def end(self) -> None:
        if self.moving:
            self.write("\n")
