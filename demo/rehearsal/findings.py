"""What was not as it should be at the end of a rehearsal, as sentences; none means that all went well."""

from collections.abc import Iterable, Mapping, Sequence

import urllib3

from demo.rehearsal.sandbox_client import Passage, SellerJob
from demo.rehearsal.scenarios import Fate

JPEG_BEGINS = b"\xff\xd8\xff"


def breaches(passages: Iterable[Passage]) -> list[str]:
    """What the seller's own checks found in our messages and answers."""
    return [
        f"{passage.job}: {passage.operation} {passage.message_id} broke the contract: {breach}"
        for passage in passages
        for breach in passage.breaches
    ]


def not_as_planned(jobs: Iterable[SellerJob], fate_of: Mapping[str, Fate]) -> list[str]:
    """Jobs that did not end, by the seller's record, as the plan wanted."""
    return [
        f"{job.seller_job_id}: planned {expected(fate)}, the seller has {job.closure or job.state.lower()}"
        for job in jobs
        if (fate := fate_of.get(job.seller_job_id)) and expected(fate) != (job.closure or job.state.lower())
    ]


def expected(fate: Fate) -> str:
    return "cancelled" if fate.cancelled_when else fate.ending.secondary or fate.ending.code


def unseen_photos(passages: Sequence[Passage], pool: urllib3.PoolManager | None = None) -> list[str]:
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
