"""Jobs and messages for the tests, made the way the sandbox itself makes them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

from seller_sandbox.jobs import codes, matrix
from seller_sandbox.jobs.answer_rules import EVERY_STAGE
from seller_sandbox.jobs.channel import name_job
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.matrix import Matrix, Question
from seller_sandbox.jobs.models import Job, JobState, JobType
from seller_sandbox.messages.models import OutboundMessage, OutboundState

DAY = date(2026, 11, 23)
# noon of the tests' day: what they report lies before it, and nothing lies in the future
NOON = datetime.now(UTC).replace(microsecond=0)


def job(*, job_type: JobType = JobType.INSTALLATION, seed: int = 1, plan: list[int] | None = None) -> Job:
    """A job whose pack the partner has accepted."""
    plans = [plan] if plan else []
    made = send_batch(Batch(count=1, day=DAY, types=[job_type], seed=seed, provisioning_plans=plans))[0]
    OutboundMessage.objects.filter(thread=made.thread).update(state=OutboundState.DELIVERED)
    made.state = JobState.ACCEPTED
    made.save()
    name_job(made, provider_job_id=f"PJ-{uuid4().hex[:12]}")
    return made


def instant(hour: int = 9, minute: int = 0) -> str:
    return (NOON + timedelta(hours=hour - 12, minutes=minute)).isoformat()


def message(job: Job, **members: Any) -> dict[str, Any]:
    """A partner's message for a job; a member given as None is left out."""
    body = {
        "messageId": str(uuid4()),
        "sentAt": datetime.now(UTC).isoformat(),
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
    premises = job.pack["property"]
    position = {"latitude": premises.get("latitude", 53.8), "longitude": premises.get("longitude", -1.55)}
    coordinates = {**position, "accuracyMetres": 12}
    usual = {"event": event, "occurredAt": instant(8), "engineer": {"id": "e-1"}, "coordinates": coordinates}
    return message(job, **{**usual, **members})


def scanned(job: Job, **members: Any) -> dict[str, Any]:
    ont = {"fsan": "CXNK12AB34CD", "serialNumber": "000123456789"}
    usual = {"event": "ontScanned", "occurredAt": instant(9), "ont": ont, "scanId": str(uuid4())}
    return message(job, **{**usual, **members})


def arrival(job: Job) -> list[dict[str, Any]]:
    """What a partner sends until the engineer is on site."""
    return [assigned(job), on_the_way(job), on_the_way(job, "onSite")]


def closed(job: Job, **members: Any) -> dict[str, Any]:
    """Closed without a visit, which any job may be."""
    usual = {
        "closureCode": "OTHER",
        "closedAt": instant(10),
        "questions_answers": [],
        "remarks": "The customer has moved",
    }
    return message(job, **{**usual, **members})


def completed(job: Job, **members: Any) -> dict[str, Any]:
    """Closed SP with all that an installation asks for."""
    usual = {
        "closureCode": "SP",
        "engineer": {"id": "e-1", "name": "Sam Field"},
        "questions_answers": answers(job.job_type, "SP"),
        "remarks": None,
    }
    return closed(job, **{**usual, **members})


def answer(**members: Any) -> dict[str, Any]:
    usual = {
        "question": "Light level at the ONT",
        "question_code": "LGT02",
        "answer": "-19.2",
        "response_received": instant(9, 30),
        "source": "closeJob",
    }
    return {name: value for name, value in {**usual, **members}.items() if value is not None}


def answers(job_type: str, code: str, *, edition: Matrix | None = None, **texts: str) -> list[dict[str, Any]]:
    """The entries that this closure needs by the newest edition; `texts` are answers by question code."""
    edition = edition or matrix.editions()[-1]
    stages = EVERY_STAGE if codes.is_success(code) else {matrix.CLOSING}
    answers: dict[str, str] = {}
    while True:
        needed = matrix.required(
            edition, job_type=job_type, closure_code=code, stages=stages, answers=answers
        )
        left = [question for question in needed if question.code not in answers]
        if not left:
            return [entry_for(edition[code], text) for code, text in answers.items()]
        answers |= {question.code: texts.get(question.code, suitable(question)) for question in left}


def suitable(question: Question) -> str:
    if question.kind == "number":
        return f"{question.minimum:g}"
    return "1" if question.is_picture else next(iter(question.choices), "As seen on site")


def entry_for(question: Question, text: str) -> dict[str, Any]:
    usual = {"question": question.text, "question_code": question.code, "answer": text}
    if question.is_picture:
        return answer(**usual, source="Closure", files=[file()])
    return answer(**usual)


def file(name: str = "", **members: Any) -> dict[str, Any]:
    name = name or f"{uuid4()}.jpg"
    path = f"https://store.example/partner/jobs/{name}"
    return {"name": name, "type": "image/jpeg", "object_path": path, **members}
