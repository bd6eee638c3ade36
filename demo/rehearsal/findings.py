"""What was wrong at the end of a rehearsal, as sentences; no finding means that all went well."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import urllib3

from demo.rehearsal.sandbox_client import LoggedMessage, SellerJob
from demo.rehearsal.scenarios import JobScenario
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
    return "cancelled" if fate.cancelled_when else fate.ending.secondary or fate.ending.code


def unseen_photos(passages: Sequence[LoggedMessage], pool: urllib3.PoolManager | None = None) -> list[str]:
    """Photos that the seller was told of and cannot fetch with a plain GET."""
    opener = pool or urllib3.PoolManager(retries=False)
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
        seller_heard=[_theirs(passage) for passage in counting if passage.arrived],
        seller_sent=[_theirs(passage) for passage in counting if not passage.arrived],
        we_heard=[_ours(line) for line in accepted],
        unsent=[_ours(line) for line in ours if line["state"] != "sent"],
    )


def _ours(line: dict[str, Any]) -> RecordedMessage:
    body = line["body"]
    parsed = json.loads(body) if isinstance(body, str) else body
    return RecordedMessage.of(line["seller_job"], line["message_id"], line["operation"], parsed)


def _theirs(passage: LoggedMessage) -> RecordedMessage:
    return RecordedMessage.of(passage.job, passage.message_id, passage.operation, passage.body)
