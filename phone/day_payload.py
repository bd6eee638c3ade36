"""day.json: everything that a phone needs to work through its jobs, in one answer."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from closures import codes, evidence, matrix_versions
from closures.codes import ClosureCode
from closures.matrix import JPEG_QUALITY, LONG_EDGE_PIXELS, Condition, Matrix, Question
from closures.models import Answer, Closure, Photo
from closures.translations import translated_code, translated_matrix
from dispatch import handover_requests, ont_scans
from dispatch.display_errors import build_or_replace
from dispatch.models import Job, OntScan, Visit
from engineers.caching import get_or_compute
from engineers.models import Engineer
from phone import change_notices, formatting, offline_import, provisioning_advice
from phone.job_access import is_today, job_version, list_visits
from phone.job_details import build_job_facts, closure_of

RECENT = timedelta(days=90)
USES_CACHE_SECONDS = 600


def serialize_day(engineer: Engineer) -> dict[str, Any]:
    visits = list_visits(engineer, timezone.localdate())
    today = timezone.localdate()
    jobs, broken, matrices = _jobs(visits, today=today)
    return {
        "day": today.isoformat(),
        "day_words": formatting.format_day(today),
        "tomorrow_words": formatting.format_day(today + timedelta(days=1)),
        "engineer": engineer.staff_number,
        "name": engineer.name,
        "export_key": offline_import.signing_key(engineer),
        "language": get_language(),
        "languages": [{"code": code, "name": name} for code, name in settings.LANGUAGES],
        "jobs": jobs,
        "broken": broken,
        "vendors": ont_scans.VENDORS,
        "office_phone": settings.OFFICE_PHONE,
        **change_notices.engineer_notices(engineer),
        "matrices": {
            edition: serialize_matrix(translated_matrix(matrix, _language()))
            for edition, matrix in matrices.items()
        },
    }


def _jobs(
    visits: list[Visit], *, today: date
) -> tuple[list[dict[str, Any]], list[dict[str, str]], dict[str, Matrix]]:
    """The jobs, those whose data cannot be shown with the reason, and the question editions that the jobs need."""
    given, uses = _given([visit.job for visit in visits]), _uses()
    jobs: list[dict[str, Any]] = []
    broken: list[dict[str, str]] = []
    matrices: dict[str, Matrix] = {}
    for visit in visits:
        job = visit.job
        full: Callable[[], dict[str, Any] | str] = partial(_job, visit, given.get(job.pk, {}), uses)
        built = build_or_replace(job, full, str)
        if isinstance(built, str):
            broken.append({"id": job.provider_job_id, "words": built})
            continue
        jobs.append({**built, "is_today": is_today(visit, today)})
        matrices[built["matrix"]] = matrix_versions.matrix_for_job(job)
    return jobs, broken, matrices


def _given(jobs: list[Job]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for answer in Answer.objects.active().filter(job__in=jobs):
        found.setdefault(answer.job_id, {})[answer.question_code] = answer.value
    return found


def _uses() -> dict[str, int]:
    """How often each code was used of late, so that the usual ones are offered first; the same for everybody."""
    return get_or_compute("closure code uses", _count_uses, seconds=USES_CACHE_SECONDS)


def _count_uses() -> dict[str, int]:
    closures = Closure.objects.filter(closed_at__gt=timezone.now() - RECENT).values_list("code")
    return dict(closures.annotate(number=Count("pk")))


def _job(visit: Visit, given: dict[str, Any], uses: dict[str, int]) -> dict[str, Any]:
    job = visit.job
    return {
        "id": job.provider_job_id,
        "type": job.job_type,
        "state": job.state,
        "version": job_version(job),
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
        "page": _page(visit),
        **_provisioning(job),
        "photos": _photos(job),
        "notices": change_notices.list_notices(visit),
        "hand_over_asked": handover_requests.open_request(job) is not None,
        "answered_by": change_notices.handed_over_by(job),
        "closed_as": _closure_summary(job),
        "matrix": matrix_versions.matrix_for_job(job).edition,
        "answers": given,
        "closures": [
            {**_closure(code), "uses": uses.get(code.code, 0)} for code in codes.outcomes_of(job.job_type)
        ],
    }


def _page(visit: Visit) -> dict[str, Any]:
    """What the job's pages print, in the words of the site."""
    job = visit.job
    return {
        **asdict(build_job_facts(job, visit=visit)),
        "kind": job.get_job_type_display(),
        "address": formatting.short_address(job),
        "street": formatting.street(job) or job.postcode,
        "starts": formatting.format_time(visit.planned_start),
        "window_hours": formatting.format_window(job),
    }


def _provisioning(job: Job) -> dict[str, Any]:
    scan, result, advice = (
        ont_scans.newest_scan(job),
        ont_scans.newest_result(job),
        provisioning_advice.advice_for(job),
    )
    return {
        "scan": _scan(scan) if scan else None,
        "result": {"result_id": result.result_id, "success": result.success} if result else None,
        "advice": asdict(advice) if advice else None,
    }


def _scan(scan: OntScan) -> dict[str, str]:
    return {
        "fsan": scan.fsan,
        "serial_number": scan.serial_number,
        "scanned_at": scan.scanned_at.isoformat(),
    }


def _photos(job: Job) -> dict[str, dict[str, Any]]:
    """By their id: whether the bytes are here, and where a small copy is."""
    return {
        str(photo.pk): {
            "question": photo.question_code,
            "stored": photo.stored_at is not None,
            "by": photo.by.name if photo.by else "",
            "url": reverse("evidence_small", args=[evidence.sign(photo)]) if photo.is_available else "",
        }
        for photo in Photo.objects.filter(job=job).select_related("by__user")
    }


def _closure_summary(job: Job) -> str:
    closure = closure_of(job)
    return closure.code if closure else ""


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


def _language() -> str:
    return get_language() or settings.LANGUAGE_CODE


def _closure(english: ClosureCode) -> dict[str, Any]:
    code = translated_code(english, _language())
    return {
        "code": code.code,
        "description": code.description,
        "in_trade_words": code.in_trade_words,
        "secondaries": [{"code": one.code, "description": one.description} for one in code.secondaries],
        "secondary_required": code.secondary_required,
        "succeeds": code.succeeds,
        "without_visit": code.without_visit,
        "from_safe_place": code.from_safe_place,
        "remarks_required": code.remarks_required,
        "signs": [asdict(sign) for sign in code.signs],
    }


def serialize_matrix(matrix: Matrix) -> dict[str, Any]:
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
        "unsafe": list(question.unsafe),
        "advice": question.advice,
        "unfinished": list(question.unfinished),
        "choices": [{"code": one.code, "text": one.text} for one in question.choices],
        "when": [_condition(one) for one in question.when],
        **_photo(question),
    }
    return {**row, **{name: value for name, value in optional.items() if value}, **_number(question)}


def _photo(question: Question) -> dict[str, Any]:
    """Only what differs from the house's own: static/js/phone/app/camera/photo_encoding.js has the same."""
    row: dict[str, Any] = {"gallery": question.gallery, "label": question.label}
    edge, quality = question.long_edge, question.quality
    row["long_edge"] = edge if edge != LONG_EDGE_PIXELS else 0
    row["quality"] = quality if quality != JPEG_QUALITY else 0
    return row


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
