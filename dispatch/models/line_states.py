"""What the seller's test of a line found: one row for each check of a job's line, the newest one counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from dispatch.models.jobs_and_visits import Job
from engineers.models import User


class OntState(models.TextChoices):
    """`NO_POWER`: the last event of an ONT that went down was its dying gasp."""

    UP = "up", _("Online")
    DOWN = "down", _("Offline")
    NO_POWER = "no_power", _("No power")
    UNKNOWN = "unknown", _("Not reported")


class ConnectionState(models.TextChoices):
    """Between the ONT and the buyer's network (connectivity fault management)."""

    UP = "up", _("Working")
    DOWN_SELLER = "down_seller", _("Down on the network operator's side")
    DOWN_BUYER = "down_buyer", _("Down on the internet provider's side")
    UNKNOWN = "unknown", _("Not reported")


class PortState(models.TextChoices):
    """The ONT's Ethernet port. An ONT that is down can't report it, so that its last state stays."""

    UP = "up", _("Connected")
    DOWN = "down", _("Nothing connected")
    UNKNOWN = "unknown", _("Not reported")


class NodeColour(models.TextChoices):
    """The load of a node in the last busy period; the words say what the colour means."""

    GREEN = "green", _("Green: not busy")
    ORANGE = "orange", _("Orange: busy")
    RED = "red", _("Red: overloaded")
    UNKNOWN = "unknown", _("No data")


ONT_DOWN = frozenset({OntState.DOWN, OntState.NO_POWER})
# faults-and-diagnostics.md, Next Best Action: the ONT or the network is down, whatever the states say
CODES_OF_A_LINE_THAT_IS_DOWN = frozenset({"CFH001", "CFH002", "CFH003", "DYG001"})
TEST_COULD_NOT_RUN = "STF001"


@dataclass(frozen=True)
class LinePart:
    """One part of a line: a value of OntState, ConnectionState or PortState, since when, and what it was before."""

    state: str
    last_event_at: datetime | None = None
    changed_from: str = ""


def _state(choices: type[models.TextChoices]) -> models.CharField[str, str]:
    return models.CharField(max_length=12, choices=choices, default="unknown")


def _previous(choices: type[models.TextChoices]) -> models.CharField[str, str]:
    return models.CharField(max_length=12, choices=choices, blank=True)


class LineCheck(models.Model):
    """One answer of the seller about a job's line; `code` is its next best action. Never changed.

    `nodes`: dicts with `path` (local, national), `name` and `colour` (NodeColour), in the seller's order.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="line_checks")
    checked_at = models.DateTimeField()
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    code = models.CharField(max_length=20)
    # the seller's own texts
    current_status = models.CharField(max_length=300, blank=True)
    result = models.CharField(max_length=300, blank=True)
    action = models.CharField(max_length=300, blank=True)
    is_down = models.BooleanField()

    ont_state = _state(OntState)
    ont_last_event_at = models.DateTimeField(null=True)
    ont_changed_from = _previous(OntState)
    connection_state = _state(ConnectionState)
    connection_last_event_at = models.DateTimeField(null=True)
    connection_changed_from = _previous(ConnectionState)
    port_state = _state(PortState)
    port_last_event_at = models.DateTimeField(null=True)
    port_changed_from = _previous(PortState)
    path_usage = models.CharField(max_length=12, choices=NodeColour, default=NodeColour.UNKNOWN)
    nodes = models.JSONField(default=list)

    class Meta:
        ordering = ["-checked_at", "-pk"]
        indexes = [models.Index(fields=["checked_at"], name="line_check_by_time")]

    def __str__(self) -> str:
        return f"{self.job}: {self.code}"

    @property
    def could_run(self) -> bool:
        """False: the seller could not test the line, so that nothing is known of it (STF001)."""
        return self.code != TEST_COULD_NOT_RUN

    @property
    def ont(self) -> LinePart:
        return LinePart(self.ont_state, self.ont_last_event_at, self.ont_changed_from)

    @property
    def connection(self) -> LinePart:
        return LinePart(self.connection_state, self.connection_last_event_at, self.connection_changed_from)

    @property
    def port(self) -> LinePart:
        return LinePart(self.port_state, self.port_last_event_at, self.port_changed_from)
