"""What a relay does besides sending: the small duties of `RelayMaintenance`, most of them watches that raise alarms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import structlog
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from closures import network_patterns, site_safety
from dispatch import attention
from monitoring import alarms, heartbeats
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link import certificate_expiry, message_alarms, relay, seller_silence, unconfirmed_messages
from seller_link.certificate_expiry import CertificateProbe
from seller_link.seller_clock import ClockWatch

log = structlog.get_logger("seller_link.relay_maintenance")
BEAT_SECONDS, WATCH_SECONDS, OVERDUE_SECONDS, SWEEP_SECONDS = 2.0, 5.0, 30.0, 600.0
# a duty that failed is tried again after this long at most
AGAIN_SECONDS, FAILURES_UNTIL_ALARM = 30.0, 3


@dataclass
class MaintenanceDuty:
    """One small task and what became of it lately. `name` is the subject of its alarm."""

    name: str
    every_seconds: float
    work: Callable[[], object]
    due_at: float = float("-inf")
    failures: int = 0
    # a process before this one may have left its alarm
    is_known_healthy: bool = False


class RelayMaintenance:
    """Several small duties, each when its time has come; for the thread that talks to the database."""

    def __init__(self, duties: Sequence[MaintenanceDuty] = ()) -> None:
        self.process = heartbeats.process_name(heartbeats.RELAY)
        self.settled = 0
        self.began = heartbeats.initial_facts(timezone.now())
        self.others = heartbeats.HeartbeatMonitor()
        self.theirs = CertificateProbe()
        self.clocks = ClockWatch()
        self._duties = list(duties) or self._own_duties()

    def _own_duties(self) -> list[MaintenanceDuty]:
        return [
            MaintenanceDuty("heartbeat of the relay", BEAT_SECONDS, self._beat),
            MaintenanceDuty("watch for stalled processes", WATCH_SECONDS, self.others.check),
            MaintenanceDuty(
                "watch for an unreachable seller", WATCH_SECONDS, seller_silence.watch_unreachable
            ),
            MaintenanceDuty(
                "watch for unconfirmed messages", OVERDUE_SECONDS, unconfirmed_messages.watch_unconfirmed
            ),
            MaintenanceDuty(
                "grouping of alarms about messages", OVERDUE_SECONDS, message_alarms.group_alarms
            ),
            MaintenanceDuty("watch for a moved clock", WATCH_SECONDS, relay.reset_future_timestamps),
            MaintenanceDuty("watch for overdue provisioning", OVERDUE_SECONDS, attention.watch_provisioning),
            MaintenanceDuty("watch for late jobs", OVERDUE_SECONDS, attention.watch_day),
            MaintenanceDuty("watch for network faults", OVERDUE_SECONDS, network_patterns.watch_patterns),
            MaintenanceDuty("watch for unsafe sites", OVERDUE_SECONDS, site_safety.watch_unsafe_sites),
            MaintenanceDuty("removal of old heartbeats", SWEEP_SECONDS, _forget),
            MaintenanceDuty(
                "watch for ending certificates", SWEEP_SECONDS, certificate_expiry.watch_certificates
            ),
            MaintenanceDuty(
                "removal of unused endpoints' alarms",
                SWEEP_SECONDS,
                certificate_expiry.forget_unused_endpoints,
            ),
            MaintenanceDuty("look at the seller's certificates", SWEEP_SECONDS, self.theirs.begin),
            MaintenanceDuty("watch for the seller's certificates", WATCH_SECONDS, self.theirs.update_alarms),
            MaintenanceDuty("watch for the seller's clock", OVERDUE_SECONDS, self.clocks.settle),
        ]

    def run_due(self) -> None:
        """Cheap when nothing is due. One that fails is logged and comes again in its time; the others go on.

        Raises OperationalError or InterfaceError when the database is away; then, too, each waits its own time, so
        that one that fails so for ever delays no message."""
        now = monotonic()
        for duty in self._duties:
            if now >= duty.due_at:
                duty.due_at = now + min(duty.every_seconds, AGAIN_SECONDS)
                _do(duty)
                duty.due_at = now + duty.every_seconds

    def end(self) -> None:
        """A relay that was stopped deliberately leaves no heartbeat that somebody could miss."""
        heartbeats.remove_heartbeat(self.process)

    def _beat(self) -> None:
        heartbeats.record_beat(self.process, {"settled": self.settled, **self.began})


def _do(duty: MaintenanceDuty) -> None:
    try:
        duty.work()
    except (OperationalError, InterfaceError):
        _count_failure(duty)
        raise
    except Exception:
        _count_failure(duty)
        if duty.failures >= FAILURES_UNTIL_ALARM:
            text = coded_text("duty_failing", duty=duty.name, times=FAILURES_UNTIL_ALARM)
            alarms.raise_alarm(AlarmKind.DUTY_FAILING, duty.name, text)
    else:
        if duty.failures or not duty.is_known_healthy:
            alarms.clear_alarm(AlarmKind.DUTY_FAILING, duty.name)
        duty.failures, duty.is_known_healthy = 0, True


def _count_failure(duty: MaintenanceDuty) -> None:
    duty.failures += 1
    log.exception("duty failed", duty=duty.name, failures=duty.failures)


def _forget() -> None:
    heartbeats.forget_silent_processes(timezone.now())
