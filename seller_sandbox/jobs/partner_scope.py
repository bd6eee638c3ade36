"""The installation partner: how it is known when it calls, and that it tests the services of its open jobs, live
already or about to be (fault-decisions.md, D17)."""

from django.conf import settings

from seller_sandbox.diagnostics import service_paths
from seller_sandbox.diagnostics.caller_scopes import DiagnosticsScope
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.jobs.job_states import NOT_WITH_PARTNER
from seller_sandbox.jobs.models import Job


def is_partner(subject: str) -> bool:
    return subject in settings.ALLOWED_SUBJECTS


def _identifier_of(subject: str) -> str | None:
    """A partner has no account: it is called what its certificate says."""
    return subject if is_partner(subject) else None


def _find(_: str, service_identifier: str) -> ServicePath | None:
    found = Job.objects.exclude(state__in=NOT_WITH_PARTNER).filter(pack__serviceIdentifier=service_identifier)
    job = found.order_by("pk").last()
    return service_paths.of_premises(job.uprn, service_identifier=service_identifier) if job else None


PARTNER_SCOPE = DiagnosticsScope(identifier_of=_identifier_of, find=_find)
