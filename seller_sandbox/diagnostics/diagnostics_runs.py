"""Which services were tested, by whom, when, and with which result: a ticket says whether it was done before."""

from datetime import datetime

from seller_sandbox.diagnostics.models import DiagnosticsRun


def record(run: DiagnosticsRun) -> None:
    """Keep a run; the same message of a caller again is the run that is there."""
    DiagnosticsRun.objects.bulk_create([run], ignore_conflicts=True)


def last_run(*, service_identifier: str, caller: str, until: datetime) -> DiagnosticsRun | None:
    """The caller's newest run for a service, not later than `until`."""
    found = DiagnosticsRun.objects.filter(service_identifier=service_identifier, caller=caller)
    return found.filter(run_at__lte=until).order_by("run_at", "pk").last()
