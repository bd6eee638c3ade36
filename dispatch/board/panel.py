"""The side panel of the board: one chosen job, what matters about it and who can take it."""

from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone

from dispatch.board import words
from dispatch.board.closings import closed_as
from dispatch.board.placing import Placing, placing_of
from dispatch.board.words import Look, RiskWord
from dispatch.models import Job
from dispatch.risk import risk
from dispatch.skills import Flag


@dataclass(frozen=True)
class Panel:
    job_id: str
    title: str
    address: str
    kind: str
    window: str
    length: str
    look: Look
    risk: RiskWord
    flags: list[Flag]
    hazards: str
    access: str
    contact: str
    day: date
    placing: Placing


def panel_of(job: Job, *, now: datetime) -> Panel:
    visit = job.visits.standing().select_related("engineer__user").first()
    return Panel(
        job_id=job.provider_job_id,
        title=job.postcode or job.provider_job_id,
        address=job.address,
        kind=words.kind_of(job),
        window=words.window_with_day(job),
        length=words.length_words(job.duration),
        look=words.look_of(job, closed_as([job]).get(job.pk)),
        risk=words.risk_word(risk(job=job, visit=visit, now=now)),
        flags=words.flags_of(job),
        hazards=job.hazards,
        access=job.access_restrictions,
        contact=job.contact_name,
        day=timezone.localtime(visit.planned_start if visit else job.window_start).date(),
        placing=placing_of(job, visit=visit),
    )
