"""What comes from another phone of an engineer's hours after something newer on the same subject: it goes into the
job's history under its rule, and the newer one counts."""

from collections.abc import Iterable
from datetime import datetime

from closures.models import Answer
from dispatch import ont_scans, visits
from dispatch.models import Job, OntScan
from dispatch.sync_conflicts import RuleName, SyncConflict
from engineers.clock_skew import TOLERATED_SKEW
from engineers.models import Engineer


class Superseded(Exception):
    """`conflict` says since when."""

    def __init__(self, newer_at: datetime) -> None:
        super().__init__()
        self.conflict = SyncConflict(RuleName.SUPERSEDED, newer_at.isoformat())


def newer_answer(job: Job, question_code: str, *, than: datetime) -> Answer | None:
    """One that was given after that moment, also where it was withdrawn since."""
    newer = Answer.objects.filter(job=job, question_code=question_code, answered_at__gt=than + TOLERATED_SKEW)
    return newer.order_by("-answered_at", "-pk").first()


def refuse_older_answer(job: Job, question_code: str, *, occurred_at: datetime) -> None:
    """Raises Superseded."""
    newer = newer_answer(job, question_code, than=occurred_at)
    if newer:
        raise Superseded(newer.answered_at)


def refuse_older_scan(
    job: Job, scans: Iterable[OntScan], *, engineer: Engineer, occurred_at: datetime
) -> None:
    """`scans`: those that the job has. Raises Superseded: the seller is not asked to provision a device again that
    another one has replaced; and NotYourJob where it is somebody else's by now."""
    newest = max(scans, key=ont_scans.scan_order, default=None)
    if newest and newest.scanned_at > occurred_at + TOLERATED_SKEW:
        visits.own_visit(job=job, engineer=engineer)
        raise Superseded(newest.scanned_at)
