"""The history of each job."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models.jobs_and_visits import Job
from dispatch.states import Actor, EventKind, JobState
from engineers.models import User
from monitoring import request_ids


class JobEvent(models.Model):
    """One line of a job's history, never changed. `occurred_at` is theirs, `recorded_at` is ours."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="events")
    seq = models.PositiveIntegerField(_("number"))
    kind = models.CharField(_("event"), max_length=20, choices=EventKind)
    from_state = models.CharField(_("state before"), max_length=10, choices=JobState, blank=True)
    to_state = models.CharField(_("state after"), max_length=10, choices=JobState)
    actor = models.CharField(_("actor"), max_length=10, choices=Actor)
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("user")
    )
    occurred_at = models.DateTimeField(_("occurred"))
    recorded_at = models.DateTimeField(_("recorded"))
    facts = models.JSONField(_("facts"), default=dict)
    # of the request that caused it, for the logs; empty where none did
    request_id = models.CharField(max_length=request_ids.MAX_LENGTH, blank=True)

    class Meta:
        verbose_name = _("job event")
        verbose_name_plural = _("job events")
        ordering = ["job", "seq"]
        constraints = [models.UniqueConstraint(fields=["job", "seq"], name="event_once_per_place")]
        # other systems ask what changed since a moment
        indexes = [
            models.Index(fields=["recorded_at"], name="event_by_time"),
            # positions that are still to be rounded (dispatch.retention): not all of years
            models.Index(
                fields=["occurred_at"],
                name="event_exact_position",
                condition=Q(facts__has_key="latitude") & ~Q(facts__has_key="position_rounded"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.seq} {self.kind}"


class JobEventReader(models.Model):
    """How far a reader of the job events has come (dispatch.event_readers). Up to `settled_to` it has read all of them,
    and up to `read_to` those that were committed by then: of these the newest are read again each time. `mark_*`: the
    highest key at a moment, for the next step."""

    name = models.CharField(max_length=40, unique=True)
    settled_to = models.BigIntegerField()
    read_to = models.BigIntegerField(default=0)
    high_water_key = models.BigIntegerField(null=True)
    mark_transaction = models.BigIntegerField(default=0)
    marked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} to {self.settled_to}"
