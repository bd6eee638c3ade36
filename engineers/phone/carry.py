"""day.json: everything that a phone needs to work through its jobs, in one answer."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from closures import codes, editions
from closures.codes import ClosureCode
from closures.matrix import Condition, Matrix, Question
from closures.models import Answer
from dispatch.models import Job, Visit
from engineers.models import Engineer
from engineers.phone import steps
from engineers.phone.day import visits_of


def day_json(engineer: Engineer) -> dict[str, Any]:
    visits = visits_of(engineer, timezone.localdate())
    matrices = {one.edition: one for one in (editions.of(visit.job) for visit in visits)}
    given = _given([visit.job for visit in visits])
    return {
        "day": timezone.localdate().isoformat(),
        "engineer": engineer.staff_number,
        "jobs": [_job(visit, given.get(visit.job_id, {})) for visit in visits],
        "matrices": {edition: matrix_json(matrix) for edition, matrix in matrices.items()},
    }


def _given(jobs: list[Job]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for answer in Answer.objects.standing().filter(job__in=jobs):
        found.setdefault(answer.job_id, {})[answer.question_code] = answer.value
    return found


def _job(visit: Visit, given: dict[str, Any]) -> dict[str, Any]:
    job = visit.job
    return {
        "id": job.provider_job_id,
        "type": job.job_type,
        "state": job.state,
        "window": _span(job.window_start, job.window_end),
        "planned": _span(visit.planned_start, visit.planned_end),
        "address": job.address,
        "latitude": job.latitude,
        "longitude": job.longitude,
        "flags": job.flags,
        "product": job.product_name,
        **_advice(job),
        "has_ont_scan": job.has_ont_scan,
        "expected_ont": _expected(job),
        **next_step_json(job),
        "matrix": editions.of(job).edition,
        "answers": given,
        "closures": [_closure(code) for code in codes.codes_for(job.job_type)],
    }


def _span(start: datetime, end: datetime) -> dict[str, str]:
    return {"start": start.isoformat(), "end": end.isoformat()}


def _advice(job: Job) -> dict[str, Any]:
    return {
        "contact": {"name": job.contact_name, "phone": job.contact_phone},
        "hazards": job.hazards,
        "access": job.access_restrictions,
        "notes": job.site_notes,
        "ont_location": job.preferred_ont_location,
        "network": job.network,
    }


def _expected(job: Job) -> dict[str, str]:
    return {
        "vendor": job.ont_vendor,
        "model": job.ont_model,
        "fsan": job.ont_fsan,
        "serial_number": job.ont_serial_number,
    }


def next_step_json(job: Job) -> dict[str, str | None]:
    """What the one large button would say; all None when nobody waits for the engineer."""
    step = steps.next_step(job)
    if step is None:
        return {"next_step": None, "next_label": None, "next_url": None}
    return {"next_step": step.name, "next_label": step.label, "next_url": step.url}


def _closure(code: ClosureCode) -> dict[str, Any]:
    return {
        "code": code.code,
        "description": code.description,
        "in_trade_words": code.in_trade_words,
        "secondaries": [{"code": one.code, "description": one.description} for one in code.secondaries],
        "secondary_required": code.secondary_required,
        "succeeds": code.succeeds,
        "without_visit": code.without_visit,
    }


def matrix_json(matrix: Matrix) -> dict[str, Any]:
    """In the shape of the matrix file, which static/js/phone/flow.js reads."""
    return {
        "edition": matrix.edition,
        "name": matrix.name,
        "questions": [_question(question) for question in matrix.questions],
    }


def _question(question: Question) -> dict[str, Any]:
    row: dict[str, Any] = {
        "code": question.code,
        "text": question.text,
        "kind": question.kind,
        "stage": question.stage,
        "job_types": list(question.job_types),
        "mandatory": question.mandatory,
    }
    optional = {
        "hint": question.hint,
        "closures": list(question.closures),
        "choices": [{"code": one.code, "text": one.text} for one in question.choices],
        "when": [_condition(one) for one in question.when],
    }
    return {**row, **{name: value for name, value in optional.items() if value}, **_number(question)}


def _number(question: Question) -> dict[str, Any]:
    if question.kind != "number":
        return {}
    row: dict[str, Any] = {"unit": question.unit, "decimals": question.decimals}
    row |= {"minimum": question.minimum, "maximum": question.maximum}
    if question.expected:
        row["expected"] = {network: list(window) for network, window in question.expected.items()}
    return row


def _condition(condition: Condition) -> dict[str, Any]:
    if condition.negated:
        return {"question": condition.question, "not_equals": condition.values[0]}
    if len(condition.values) == 1:
        return {"question": condition.question, "equals": condition.values[0]}
    return {"question": condition.question, "in": list(condition.values)}
