"""Jobs and messages for the tests, made the way the sandbox itself makes them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState, JobType, OutboundMessage, OutboundState

DAY = date(2026, 11, 23)


def job(*, job_type: JobType = JobType.INSTALLATION, seed: int = 1, plan: list[int] | None = None) -> Job:
    """A job whose pack the partner has accepted."""
    plans = [plan] if plan else []
    made = send_batch(Batch(count=1, day=DAY, types=[job_type], seed=seed, provisioning_plans=plans))[0]
    OutboundMessage.objects.filter(job=made).update(state=OutboundState.DELIVERED)
    made.state, made.provider_job_id = JobState.ACCEPTED, f"PJ-{uuid4().hex[:12]}"
    made.save()
    return made


def instant(hour: int = 9, minute: int = 0) -> str:
    return datetime(2026, 11, 23, hour, minute, tzinfo=UTC).isoformat()


def message(job: Job, **members: Any) -> dict[str, Any]:
    """A partner's message for a job; a member given as None is left out."""
    body = {
        "messageId": str(uuid4()),
        "sentAt": (datetime.now(UTC) + timedelta(days=365)).isoformat(),
        "providerJobId": job.provider_job_id,
        **members,
    }
    return {name: value for name, value in body.items() if value is not None}


def assigned(job: Job, **members: Any) -> dict[str, Any]:
    plan = {
        "plannedStart": (job.starts_at + timedelta(minutes=30)).isoformat(),
        "plannedEnd": (job.starts_at + timedelta(minutes=120)).isoformat(),
    }
    engineer = {"id": "e-1", "name": "Sam Field", "phone": "07700 900001"}
    return message(
        job,
        **{"event": "engineerAssigned", "occurredAt": instant(7), "engineer": engineer, **plan, **members},
    )


def on_the_way(job: Job, event: str = "enRoute", **members: Any) -> dict[str, Any]:
    position = {"latitude": 53.8, "longitude": -1.55, "accuracyMetres": 12}
    usual = {"event": event, "occurredAt": instant(8), "engineer": {"id": "e-1"}, "coordinates": position}
    return message(job, **{**usual, **members})


def scanned(job: Job, **members: Any) -> dict[str, Any]:
    ont = {"fsan": "CXNK12AB34CD", "serialNumber": "000123456789"}
    usual = {"event": "ontScanned", "occurredAt": instant(9), "ont": ont, "scanId": str(uuid4())}
    return message(job, **{**usual, **members})


def closed(job: Job, **members: Any) -> dict[str, Any]:
    usual = {
        "closureCode": "SP",
        "closedAt": instant(10),
        "engineer": {"id": "e-1", "name": "Sam Field"},
        "questions_answers": [answer()],
    }
    return message(job, **{**usual, **members})


def answer(**members: Any) -> dict[str, Any]:
    usual = {
        "question": "Is the light level within range?",
        "question_code": "Q07",
        "answer": "Yes",
        "response_received": instant(9, 30),
        "source": "closeJob",
    }
    return {name: value for name, value in {**usual, **members}.items() if value is not None}
