"""day.json: everything that a phone needs to work through its jobs, in one answer."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Count, Prefetch, prefetch_related_objects
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from closures import closing, codes
from closures.answers import counting_answers
from closures.codes import ClosureCode
from closures.models import Answer, Closure, Photo
from closures.photos import evidence
from closures.question_matrix.matrix import Matrix
from closures.question_matrix.matrix_editions import matrix_for_job
from closures.question_matrix.translations import readers_language, translated_code, translated_matrix
from dispatch import ont_scans
from dispatch.handover_requests import open_handover_request
from dispatch.models import Job, JobEvent, OntScan, Visit
from dispatch.problems import build_or_replace
from engineers.caching import get_or_compute
from engineers.models import Engineer
from engineers.phone_urls import phone_url
from phone import change_notices, formatting, offline_import, provisioning_advice
from phone.assigned_jobs import is_in_review, is_today, job_version, list_visits, phone_state
from phone.job_details import build_job_facts, closure_of, earlier_jobs, serialize_kit
from phone.line_results import serialize_line_check
from phone.provisioning_advice import DUPLICATE
from phone.serializers import serialize_matrix
from seller_link.line_check import line_check_obstacle

RECENT = timedelta(days=90)
USES_CACHE_SECONDS = 600
# everything that the payload has of a job, with one query for each
JOB_RECORDS = (
    Prefetch("events", JobEvent.objects.select_related("user")),
    "scans",
    "results",
    "line_checks",
    Prefetch("photos", Photo.objects.select_related("by__user")),
    Prefetch("answers", Answer.objects.select_related("by__user")),
    Prefetch("visits", Visit.objects.select_related("engineer__user")),
)


def serialize_day(engineer: Engineer) -> dict[str, Any]:
    """The same number of queries however many jobs: each table is asked once for all of them."""
    today = timezone.localdate()
    visits = list_visits(engineer, today)
    prefetch_related_objects([visit.job for visit in visits], *JOB_RECORDS)
    jobs, broken, matrices = _jobs(engineer, visits, today=today)
    return {
        "day": today.isoformat(),
        "day_words": formatting.format_day(today),
        "tomorrow_words": formatting.format_day(today + timedelta(days=1)),
        "time_zone": settings.TIME_ZONE,
        "engineer": engineer.phone_identity,
        "name": engineer.name,
        "export_key": offline_import.signing_key(engineer),
        "language": get_language(),
        "languages": [{"code": code, "name": name} for code, name in settings.LANGUAGES],
        "jobs": jobs,
        "broken": broken,
        "kit": serialize_kit(
            visit.job for visit in visits if visit.engineer_id == engineer.pk and is_today(visit, today)
        ),
        "vendors": ont_scans.VENDORS,
        "office_phone": settings.OFFICE_PHONE,
        **change_notices.engineer_notices(engineer),
        "matrices": {
            edition: serialize_matrix(translated_matrix(matrix, readers_language()))
            for edition, matrix in matrices.items()
        },
    }


def day_etag(day: dict[str, Any], *, csrf_secret: str) -> str:
    """Of `serialize_day`. The signatures of photo links say when they were made: whether there is a link counts."""
    jobs = [
        {**job, "photos": {key: {**photo, "url": bool(photo["url"])} for key, photo in job["photos"].items()}}
        for job in day["jobs"]
    ]
    seen = json.dumps([{**day, "jobs": jobs}, csrf_secret], cls=DjangoJSONEncoder)
    return f'"{sha256(seen.encode()).hexdigest()}"'


def _jobs(
    engineer: Engineer, visits: list[Visit], *, today: date
) -> tuple[list[dict[str, Any]], list[dict[str, str]], dict[str, Matrix]]:
    """The jobs, those whose data cannot be shown with the reason, and the question editions that the jobs need."""
    shared = _shared([visit.job for visit in visits])
    jobs: list[dict[str, Any]] = []
    broken: list[dict[str, str]] = []
    matrices: dict[str, Matrix] = {}
    for visit in visits:
        job = visit.job
        full: Callable[[], dict[str, Any] | str] = partial(_job, engineer, visit, shared)
        built = build_or_replace(job, full, str)
        if isinstance(built, str):
            broken.append({"id": job.provider_job_id, "words": built})
            continue
        jobs.append({**built, "is_today": is_today(visit, today)})
        matrices[built["matrix"]] = matrix_for_job(job)
    return jobs, broken, matrices


@dataclass(frozen=True)
class SharedRecords:
    """What is queried for all jobs at once in addition to JOB_RECORDS."""

    uses: dict[str, int]
    earlier: dict[int, list[Job]]
    same_ont: dict[str, list[Job]]


def _shared(jobs: list[Job]) -> SharedRecords:
    results = [ont_scans.newest_result(job) for job in jobs]
    duplicates = {result.scan_id for result in results if result and result.result_id == DUPLICATE}
    scans = [scan for scan in map(ont_scans.newest_scan, jobs) if scan and scan.pk in duplicates]
    same_ont = ont_scans.open_jobs_by_ont({scan.fsan for scan in scans})
    return SharedRecords(_uses(), earlier_jobs(jobs), same_ont)


def _uses() -> dict[str, int]:
    """How often each code was used of late, so that the usual ones are offered first; the same for everybody."""
    return get_or_compute("closure code uses", _count_uses, seconds=USES_CACHE_SECONDS)


def _count_uses() -> dict[str, int]:
    closures = Closure.objects.filter(closed_at__gt=timezone.now() - RECENT).values_list("code")
    return dict(closures.annotate(number=Count("pk")))


def _job(engineer: Engineer, visit: Visit, shared: SharedRecords) -> dict[str, Any]:
    job = visit.job
    return {
        "id": job.provider_job_id,
        "type": job.job_type,
        "state": phone_state(job.state),
        "in_review": is_in_review(job),
        "version": job_version(job),
        "held": job.on_hold_since is not None,
        "window": _span(job.window_start, job.window_end),
        "planned": _span(visit.planned_start, visit.planned_end),
        "team": _team(engineer, visit),
        "address": job.address,
        "latitude": job.latitude,
        "longitude": job.longitude,
        "flags": job.flags,
        "product": job.product_name,
        **_advice(job),
        "has_ont_scan": job.has_ont_scan,
        "expected_ont": _expected(job),
        "page": _page(visit, shared.earlier[job.pk]),
        **_provisioning(job, shared),
        **_line(job),
        "photos": _photos(job),
        "notices": change_notices.list_notices(visit, reader=engineer),
        "sent_back": [
            {"question": item.question_code, "reason": item.reason} for item in closing.sent_back_items(job)
        ],
        "handover_requested": open_handover_request(job) is not None,
        "answered_by": change_notices.handed_over_by(job),
        "closed_as": _closure_summary(job),
        "matrix": matrix_for_job(job).edition,
        "answers": counting_answers(job, engineer_id=visit.engineer_id),
        "closures": [
            {**_closure(code), "uses": shared.uses.get(code.code, 0)}
            for code in codes.outcomes_of(job.job_type)
        ],
    }


def _team(engineer: Engineer, visit: Visit) -> dict[str, Any] | None:
    """The colleague at the same visit. The first engineer works through the job; the second one reads it."""
    colleague = visit.colleague_of(engineer)
    if colleague is None:
        return None
    is_second = visit.second_engineer_id == engineer.pk
    return {"is_second": is_second, "name": colleague.name, "call_url": phone_url(colleague.phone)}


def _page(visit: Visit, earlier: list[Job]) -> dict[str, Any]:
    """What the job's pages show, in the site's language."""
    job = visit.job
    return {
        **asdict(build_job_facts(job, visit=visit, earlier=earlier)),
        "kind": job.get_job_type_display(),
        "address": formatting.short_address(job),
        "street": formatting.street(job) or job.postcode,
        "starts": formatting.format_time(visit.planned_start),
        "window_hours": formatting.format_window(job),
    }


def _provisioning(job: Job, shared: SharedRecords) -> dict[str, Any]:
    scan, result = ont_scans.newest_scan(job), ont_scans.newest_result(job)
    same_ont = shared.same_ont.get(scan.fsan, []) if scan else []
    advice = provisioning_advice.advice_for(job, same_ont=same_ont)
    return {
        "scan": _scan(scan) if scan else None,
        "result": {"result_id": result.result_id, "success": result.success} if result else None,
        "advice": asdict(advice) if advice else None,
    }


def _line(job: Job) -> dict[str, Any]:
    # the newest one comes first
    check, obstacle = next(iter(job.line_checks.all()), None), line_check_obstacle(job)
    return {
        "line_check": serialize_line_check(check) if check else None,
        "line_unavailable": str(obstacle.label) if obstacle else "",
    }


def _scan(scan: OntScan) -> dict[str, str]:
    return {
        "fsan": scan.fsan,
        "serial_number": scan.serial_number,
        "scanned_at": scan.scanned_at.isoformat(),
    }


def _photos(job: Job) -> dict[str, dict[str, Any]]:
    """By their id: whether the bytes are here, the hashes that the phone gave them, and where a small copy is."""
    return {
        str(photo.pk): {
            "question": photo.question_code,
            "stored": photo.stored_at is not None,
            "sha256": photo.sha256,
            "original_sha256": photo.original_sha256,
            "by": photo.by.name if photo.by else "",
            "url": reverse("evidence-small", args=[evidence.sign(photo)]) if photo.is_available else "",
        }
        for photo in job.photos.all()
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


def _closure(english: ClosureCode) -> dict[str, Any]:
    code = translated_code(english, readers_language())
    return {
        "code": code.code,
        "description": code.description,
        "in_trade_words": code.in_trade_words,
        "secondaries": [
            {"code": secondary.code, "description": secondary.description} for secondary in code.secondaries
        ],
        "secondary_required": code.secondary_required,
        "succeeds": code.succeeds,
        "without_visit": code.without_visit,
        "from_safe_place": code.from_safe_place,
        "without_access": code.without_access,
        "remarks_required": code.remarks_required,
        "signs": [asdict(sign) for sign in code.signs],
    }
