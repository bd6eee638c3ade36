"""What an engineer loads in the morning: the kit of the day's property flags, and the ONTs that the job packs name."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dispatch.models import Job
from dispatch.requirements import JobRequirements
from dispatch.states import BEFORE_ARRIVAL, JobType


@dataclass(frozen=True)
class KitItem:
    """One line of the list; `jobs` are in the order of the day."""

    text: str
    jobs: list[Job]


def build_kit_list(jobs: Iterable[Job], requirements: Mapping[int, JobRequirements]) -> list[KitItem]:
    """Of these jobs in their order, those that nobody has begun; each item once."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        # whoever is on site has it there
        if job.state in BEFORE_ARRIVAL:
            for text in _items(job, requirements[job.pk]):
                found.setdefault(text, []).append(job)
    return [KitItem(text, needing) for text, needing in found.items()]


def _items(job: Job, required: JobRequirements) -> Iterator[str]:
    device = " ".join(filter(None, [job.ont_vendor, job.ont_model]))
    if job.job_type == JobType.INSTALLATION:
        yield _("ONT %(device)s") % {"device": device} if device else _("ONT")
    yield from required.kit
