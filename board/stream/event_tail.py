"""Which jobs have events that this process has not seen yet."""

from dataclasses import dataclass

from dispatch.models import Job, JobEvent

# an event gets its key before its transaction ends, so that it may be seen after events with higher keys
MOST_OVERTAKING = 200


@dataclass
class EventTail:
    """Keys of the newest events that were seen; None before the first reading."""

    known: frozenset[int] | None = None

    def read_new(self) -> list[Job]:
        """Each job once, with what tells it from others; none the first time. Two queries."""
        newest = max(self.known, default=0) if self.known is not None else _newest_key()
        events = JobEvent.objects.filter(pk__gt=newest - MOST_OVERTAKING).order_by()
        jobs_by_key = dict(events.values_list("pk", "job"))
        new = jobs_by_key.keys() - (jobs_by_key.keys() if self.known is None else self.known)
        self.known = frozenset(jobs_by_key)
        found = Job.objects.filter(pk__in={jobs_by_key[key] for key in new})
        return list(found.only("provider_job_id", "postcode", "uprn"))


def _newest_key() -> int:
    newest = JobEvent.objects.order_by("-pk").values_list("pk", flat=True).first()
    return newest or 0
