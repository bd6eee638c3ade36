"""A day of the office on which something of everything has happened, and the pages that show it."""

import json
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from closures.network_patterns import watch_patterns
from customer_messages.message_queue import enqueue_message
from customer_messages.models import CustomerMessageKind
from dispatch import handover_requests, job_events, jobs
from dispatch.job_events import Performer
from dispatch.models import Job, Occasion, PlanComparison, PlanProposal
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.proposal_making import make_proposal
from dispatch.states import Actor, EventKind, JobState
from dispatch.sync_conflicts import conflict_for
from engineers.models import Area, CheckIn, Engineer, Skill
from seller_link.models import InboundMessage, OutboundMessage, OutboundState
from tests import make
from tests.board.office import assign, lately, signed_in
from tests.board.test_messages import tried
from tests.closures.test_network_patterns import closed, on
from tests.seller_link.record_lines import line

DAY = f"{make.DAY}"
PLAN = {"first": DAY, "weight": "few", "days": "1", "part": "day", "seconds": "10"}


@dataclass(frozen=True)
class BusyDay:
    """`held` is a message of `on_site` that the seller refused."""

    client: Client
    anna: Engineer
    bela: Engineer
    on_site: Job
    assigned: Job
    waiting: Job
    cancelled: Job
    held: OutboundMessage

    def copy(self) -> "BusyDay":
        """With records and cookies of its own."""
        client = Client()
        client.cookies = deepcopy(self.client.cookies)
        records = {name: deepcopy(value) for name, value in vars(self).items() if name != "client"}
        return BusyDay(client=client, **records)

    @property
    def names(self) -> set[str]:
        """What must be a link wherever it is named."""
        found = list(Job.objects.all())
        return {
            self.anna.name,
            self.bela.name,
            *(job.provider_job_id for job in found),
            *(job.postcode for job in found),
            *(str(message.message_id) for message in OutboundMessage.objects.all()),
            *(str(message.message_id) for message in InboundMessage.objects.exclude(message_id=None)),
        }


def busy_day() -> BusyDay:
    """Anna is on site, Bela gave the job away and reported late, one job was cancelled, one message is held."""
    client, anna, bela = signed_in(), make.engineer(name="Anna Fibre"), make.engineer(name="Bela Ont")
    on_site = _on_site(client, anna, bela)
    assigned = make.job(window=("13:00", "18:00"))
    assign(client, assigned, bela, "15:00")
    assign(client, assigned, bela, "15:30")
    cancelled = make.job(at_state=JobState.EN_ROUTE, to=make.engineer(name="Cleo Cable"))
    jobs.cancel_job(job=cancelled, reason="Changed their mind")
    for _ in range(3):
        closed("POP", node="N-1")
    waiting = on(make.job(), node="N-1")
    watch_patterns()
    return BusyDay(client, anna, bela, on_site, assigned, waiting, cancelled, _held(on_site))


def _on_site(client: Client, anna: Engineer, bela: Engineer) -> Job:
    job = make.job()
    assign(client, job, bela)
    make.start_travel(job)
    assign(client, job, anna, "09:00")
    bela_too_late(job, bela)
    make.start_travel(job, engineer=anna)
    make.arrive(job, engineer=anna, position=make.Position(latitude=53.9, longitude=-1.5, accuracy_metres=8))
    make.scan(job)
    make.result(job, 6)
    make.answer_all(job)
    make.record_answer(job, "SAF01", "no", by=anna)
    make.act(
        handover_requests.request_handover,
        job=job,
        engineer=anna,
        by=Performer(Actor.ENGINEER, anna.user),
        occurred_at=make.now(),
        reason="No ladder",
    )
    CheckIn.objects.create(
        engineer=anna,
        provider_job_id=job.provider_job_id,
        started_at=make.now() - timedelta(hours=2),
        due_at=make.now() - timedelta(hours=1),
    )
    job.refresh_from_db()
    return job


def bela_too_late(job: Job, engineer: Engineer) -> None:
    """A step from a phone that did not know yet that the job had gone to somebody else."""
    facts = {"engineer_name": engineer.name, **conflict_for(job=job, engineer=engineer).facts()}
    make.act(
        job_events.record_late,
        job=job,
        by=Performer(Actor.ENGINEER, engineer.user),
        what=EventKind.ON_SITE,
        occurred_at=make.now(),
        facts=facts,
    )


def _held(job: Job) -> OutboundMessage:
    message = job.outbound_messages.order_by("seq")[0]
    message.state, message.held_reason, message.claims = OutboundState.HELD, "400 badPhone", 1
    message.save()
    tried(message, status=400)
    return message


def area(day: BusyDay) -> str:
    """The address of an area in which both work."""
    made = Area.objects.create(name="Leeds North", postcodes="LS6")
    Engineer.objects.filter(pk__in=[day.anna.pk, day.bela.pk]).update(area=made)
    return f"/board/people/areas/{made.pk}/"


def skill(day: BusyDay) -> str:
    """The address of a skill that Anna has."""
    held = day.anna.held_skills.first() or day.anna.held_skills.create(
        skill=Skill.objects.create(name="Test", code="test")
    )
    return f"/board/people/skills/{held.skill_id}/"


def proposal(day: BusyDay) -> str:
    """The address of a plan for the day."""
    day.client.post("/board/plans/", PLAN)
    made = PlanProposal.objects.latest("pk")
    PlanProposal.objects.filter(pk=made.pk).update(neighbourhoods=2)
    make_proposal(made.pk)
    return f"/board/plans/{made.pk}/"


def comparison(day: BusyDay) -> str:
    """The address of the ways to go on without Bela."""
    asked = {
        "occasion": Occasion.ENGINEER_ABSENT,
        "engineer": day.bela.staff_number,
        "absent_since": f"{DAY}T10:00",
    }
    day.client.post("/board/plans/replan/", asked)
    made = PlanComparison.objects.latest("pk")
    make_comparison(made.pk)
    return f"/board/plans/compare/{made.pk}/"


def differences(day: BusyDay) -> str:
    """The page that compares both records, where one message is missing."""
    OutboundMessage.objects.exclude(pk=day.held.pk).update(state=OutboundState.SENT, sent_at=timezone.now())
    sent = list(OutboundMessage.objects.exclude(pk=day.held.pk))[1:]
    record = "\n".join(json.dumps(line(message, id=number)) for number, message in enumerate(sent, start=1))
    file = SimpleUploadedFile("seller.jsonl", record.encode())
    return day.client.post("/board/reconcile/", {**lately(), "record": file}).content.decode()


def replay(day: BusyDay) -> str:
    """The address of the held message's resending."""
    asked = {"message": str(day.held.pk), "reason": "Corrected at the seller"}
    return str(day.client.post("/board/replays/new/", asked)["Location"])


def evidence_pack(day: BusyDay) -> str:
    """The address where the pack of the job on site is waited for."""
    return str(day.client.post(f"/board/jobs/{day.on_site}/evidence-pack/", {"kind": "pdf"})["Location"])


def customer_message(day: BusyDay) -> str:
    """The page of messages to customers, with one about the job on site."""
    now = timezone.now()
    enqueue_message("busy", CustomerMessageKind.ON_THE_WAY, day.on_site, now=now, expires_at=now)
    return "/board/customer-messages/"
