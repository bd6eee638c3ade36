"""What the network reports of the lines at premises, the faults that are simulated on them, and tests of services.

The statuses are those of faults-and-diagnostics.md, Service diagnostics result, as they go over the wire.
"""

from django.db import models

from seller_sandbox.compiled_saves import CompiledSave


class OntStatus(models.TextChoices):
    UP = "Service Up"
    DOWN = "Service Down"
    DYING_GASP = "Dying Gasp"


class CfmStatus(models.TextChoices):
    """Connectivity Fault Management: "Down CF" is a fault on the seller's side, "Down ISP" one on the buyer's."""

    UP = "Up"
    DOWN_CF = "Down CF"
    DOWN_ISP = "Down ISP"


class UniPortStatus(models.TextChoices):
    """The ONT's Ethernet port; blank when the ONT does not report it."""

    UP = "Up"
    DOWN = "Down"
    BLANK = "", "Blank"


class LineState(CompiledSave):
    """The line at premises that something has happened to; line_states.py says what holds for the others.

    Keyed by UPRN, because a job pack may be about premises that the network has no row of. Of each status: when its
    event came (sandbox time, null: never) and the status before it (null: none). line_states.py is the only writer.
    """

    uprn = models.CharField(max_length=12, unique=True)
    # --- what is simulated
    has_power = models.BooleanField(default=True)
    has_fibre = models.BooleanField(default=True)
    can_be_tested = models.BooleanField(default=True)
    # what the port is in truth; the ONT reports it while it is up
    port_in_truth = models.CharField(
        max_length=10, choices=UniPortStatus, default=UniPortStatus.UP, blank=True
    )
    # --- what was reported last
    # the device that reports; empty before the first one
    ont_fsan = models.CharField(max_length=100, blank=True)
    ont_status = models.CharField(max_length=20, choices=OntStatus)
    ont_event_at = models.DateTimeField(null=True)
    ont_changed_from = models.CharField(max_length=20, choices=OntStatus, null=True)
    cfm_status = models.CharField(max_length=20, choices=CfmStatus)
    cfm_event_at = models.DateTimeField(null=True)
    cfm_changed_from = models.CharField(max_length=20, choices=CfmStatus, null=True)
    uni_port_status = models.CharField(max_length=10, choices=UniPortStatus, blank=True)
    uni_port_event_at = models.DateTimeField(null=True)
    uni_port_changed_from = models.CharField(max_length=10, choices=UniPortStatus, null=True)

    @property
    def is_connected(self) -> bool:
        """Whether the ONT can be up at all."""
        return self.has_power and self.has_fibre


MINUTES_OF_DAY = 24 * 60
PERCENT_DECIMALS = 5


class SwitchedLoad(models.Model):
    """A load that was switched on a node, each day between two minutes of the day (node_load.py)."""

    node = models.CharField(max_length=60, db_index=True)
    # local time: from this minute to before that one
    first_minute = models.PositiveSmallIntegerField()
    end_minute = models.PositiveSmallIntegerField()
    # null: there are no samples
    percent = models.DecimalField(max_digits=8, decimal_places=PERCENT_DECIMALS, null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(first_minute__lt=models.F("end_minute"), end_minute__lte=MINUTES_OF_DAY),
                name="switched_load_within_a_day",
            ),
            models.CheckConstraint(
                condition=models.Q(percent=None) | models.Q(percent__range=(0, 100)),
                name="switched_load_is_a_percentage",
            ),
        ]


class DiagnosticsRun(models.Model):
    """A line test that somebody asked for; the same message again is the same run."""

    service_identifier = models.CharField(max_length=100)
    # the common name of the caller's certificate
    caller = models.CharField(max_length=100)
    message_id = models.CharField(max_length=100)
    # sandbox time
    run_at = models.DateTimeField()
    # next best action
    code = models.CharField(max_length=10)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["caller", "message_id", "service_identifier"], name="diagnostics_run_of_a_message"
            )
        ]
        indexes = [models.Index(fields=["service_identifier", "run_at"], name="runs_of_a_service")]
