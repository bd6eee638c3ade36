"""One person's data as a zip file: data.json with every row, photos/ with every picture that is kept; pictures that the
storage has lost are listed in missing_photos.txt."""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axes.models import AccessLog
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet

from closures.models import Answer, Closure, Photo, PhotoQuerySet
from closures.photos import evidence
from customer_messages.models import CustomerMessage
from dispatch.models import Job, JobEvent, LineCheck, OntScan, ProvisioningResult, Visit
from dispatch.retention import POSITION_FACTS
from engineers.models import (
    AuditEntry,
    CalendarFeed,
    CheckIn,
    Engineer,
    LastPosition,
    LastSync,
    PhoneMessage,
    User,
)
from engineers.retention import is_about, names_over_time
from monitoring.models import Alarm
from monitoring.whole_files import whole_file
from seller_link.models import InboundMessage, OutboundMessage

# nobody else's business, and no data about a person
EXCLUDED_FIELDS = {"password", "secret_sha256", "auth_secret", "public_key", "endpoint"}

# of a photo what is about the engineer who took it
OWN_PHOTO = (
    *("id", "job__provider_job_id", "question_code", "taken_at"),
    *("latitude", "longitude", "accuracy_metres"),
)


@dataclass(frozen=True)
class Export:
    data: dict[str, Any]
    photos: PhotoQuerySet


def export_customer(jobs: QuerySet[Job]) -> Export:
    """Everything about these jobs."""
    numbers = list(jobs.values_list("provider_job_id", flat=True))
    photos = Photo.objects.filter(job__in=jobs)
    by_job = (
        *(JobEvent, Visit, OntScan, ProvisioningResult, Answer, Closure, InboundMessage, OutboundMessage),
        *(LineCheck, CustomerMessage),
    )
    data = {
        "jobs": _rows(jobs),
        **{model.__name__: _rows(model._default_manager.filter(job__in=jobs)) for model in by_job},
        "PhoneMessage": _rows(PhoneMessage.objects.filter(provider_job_id__in=numbers)),
        "Alarm": _rows(Alarm.objects.filter(subject__in=numbers)),
        "Photo": _rows(photos),
    }
    return Export(data, photos)


def export_engineer(engineer: Engineer) -> Export:
    """Everything about this engineer; customers' data are left out, job numbers stay."""
    user = engineer.user
    data = {
        "account": _row(user),
        "engineer": _row(engineer),
        "skills": list(engineer.held_skills.values("skill__name", "expires_on")),
        "shifts": _rows(engineer.shifts.all()),
        "shift_exceptions": _rows(engineer.shift_exceptions.all()),
        "sign_in_links": _rows(user.sign_in_links.all()),
        "company_accounts": _rows(user.company_identities.all()),
        "saved_filters": _rows(user.saved_filters.all()),
        "calendar_feed": _rows(CalendarFeed.objects.filter(engineer=engineer)),
        "absences": _rows(engineer.absences.all()),
        "visits": _rows(Visit.objects.attended_by([engineer])),
        "positions": _rows(engineer.driving_positions.all()),
        "last_position": _rows(LastPosition.objects.filter(engineer=engineer)),
        "last_sync": _rows(LastSync.objects.filter(engineer=engineer)),
        "check_ins": _rows(CheckIn.objects.filter(engineer=engineer)),
        "push_subscriptions": _rows(engineer.push_subscriptions.all()),
        "phone_messages": _rows(PhoneMessage.objects.filter(engineer=engineer)),
        "job_events": [
            _own_event(event) for event in JobEvent.objects.filter(user=user).select_related("job")
        ],
        "photos": list(Photo.objects.filter(by=engineer).values(*OWN_PHOTO)),
        "audit": _rows(AuditEntry.objects.filter(actor=user)),
    }
    return Export(data, Photo.objects.none())


def export_account(user: User) -> Export:
    """Everything about somebody of the office; job numbers stay."""
    names = [name for name, _since, _until in names_over_time(user)]
    data = {
        "account": _row(user),
        "areas": list(user.area_limits.values_list("area__name", flat=True)),
        "sign_in_links": _rows(user.sign_in_links.all()),
        "company_accounts": _rows(user.company_identities.all()),
        "saved_filters": _rows(user.saved_filters.all()),
        "sign_ins": _rows(AccessLog.objects.filter(username__in=names)),
        "job_events": list(
            JobEvent.objects.filter(user=user).values("job__provider_job_id", "kind", "occurred_at")
        ),
        "audit": _rows(AuditEntry.objects.filter(actor=user)),
        "audit_about": _rows(AuditEntry.objects.filter(is_about(user))),
    }
    return Export(data, Photo.objects.none())


def _own_event(event: JobEvent) -> dict[str, Any]:
    """Of its facts where the engineer was: the others are about the customer."""
    position = {name: event.facts.get(name) for name in POSITION_FACTS}
    job = event.job.provider_job_id
    return {"job__provider_job_id": job, "kind": event.kind, "occurred_at": event.occurred_at, **position}


def write(export: Export, path: Path) -> list[str]:
    """The names of the photos that are missing in the storage. The file is readable by its owner only, and is there
    when it is whole. Raises FileExistsError, and OSError where it cannot be written."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        return _fill(zipped, export)


def _fill(zipped: zipfile.ZipFile, export: Export) -> list[str]:
    text = json.dumps(export.data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
    zipped.writestr("data.json", text)
    missing = []
    for photo in export.photos.stored().select_related("job"):
        name = f"{photo.question_code}-{photo.pk}.jpg"
        content = evidence.read_file(photo)
        if content:
            zipped.writestr(f"photos/{name}", content)
        else:
            missing.append(name)
    if missing:
        zipped.writestr("missing_photos.txt", "".join(f"{name}\n" for name in missing))
    return missing


def _rows(rows: QuerySet[Any]) -> list[dict[str, Any]]:
    return [_row(row) for row in rows]


def _row(row: Model) -> dict[str, Any]:
    return {
        field.attname: field.value_from_object(row)
        for field in row._meta.concrete_fields
        if field.attname not in EXCLUDED_FIELDS
    }
