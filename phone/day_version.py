"""The version of a phone's day: a short text that changes with whatever anybody does to it.

A phone that waits for nothing asks every half minute, and most often nothing has happened: five statements say so.
What it does not show (a colleague's name, how other jobs at the premises ended, how usual a closure code is) reaches
the phone after UNCHANGED_SECONDS.
"""

import json
import re
from hashlib import sha256
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import get_language

from closures.models import Answer, Photo
from closures.question_matrix.matrix_editions import current_matrix
from dispatch.models import ProvisioningResult
from engineers import caching
from engineers.lone_worker import running_check_in
from engineers.models import Engineer
from phone.assigned_jobs import visits_of_day

UNCHANGED_SECONDS = 300
ETAG = re.compile('"[0-9a-f]{64}"')
VISIT = ("pk", "planned_start", "planned_end", "engineer", "second_engineer", "job")
JOB = ("job__last_event_seq", "job__state", "job__on_hold_since")


def read_version(engineer: Engineer, *, csrf_secret: str) -> str:
    """Of today's and tomorrow's work of this engineer, for this session's `csrf_secret`. Five statements."""
    today = timezone.localdate()
    visits = list(visits_of_day(engineer, today).order_by("pk").values_list(*VISIT, *JOB))
    jobs = [visit[VISIT.index("job")] for visit in visits]
    check_in = running_check_in(engineer)
    seen = [
        *(today, get_language(), csrf_secret, current_matrix().edition),
        *(engineer.name, engineer.shares_position_since, engineer.export_key_number),
        visits,
        ProvisioningResult.objects.filter(job__in=jobs).count(),
        Answer.objects.filter(job__in=jobs).aggregate(Count("pk"), Count("withdrawn_at")),
        Photo.objects.filter(job__in=jobs).aggregate(Count("pk"), Count("stored_at"), Count("purged_at")),
        [check_in.pk, check_in.due_at] if check_in else None,
    ]
    return sha256(json.dumps(seen, cls=DjangoJSONEncoder).encode()).hexdigest()


def unchanged_etag(if_none_match: str, version: str) -> str:
    """The ETag in this header if the day that has it was sent at this version, not long ago; empty otherwise."""
    etag = ETAG.search(if_none_match)
    return etag[0] if etag and caching.find(_name(etag[0])) == version else ""


def remember(day: dict[str, Any], *, etag: str, version: str) -> None:
    """`version` as it was before the day was read. While the seller owes an answer, the advice changes with time
    alone, so such a day is read each time."""
    is_waiting = any(job["advice"] and job["advice"]["is_waiting"] for job in day["jobs"])
    if not is_waiting:
        caching.store(_name(etag), version, seconds=UNCHANGED_SECONDS)


def _name(etag: str) -> str:
    return f"phone day {etag[1:-1]}"
