"""What dispatchers did to the plan, kept so that it can be undone and redone."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db import models
from django.db.models import Exists, OuterRef, Q

from dispatch.models.jobs_and_visits import Job, Visit
from dispatch.states import JobState
from engineers.area_scope import postcode_filter
from engineers.current_scope import current_scope
from engineers.models import Engineer, User

# who has a visit before and after a step of an action or a proposed change
PEOPLE = ("engineer_before__user", "second_before__user", "engineer_after__user", "second_after__user")

NOT_BEGUN = (JobState.UNASSIGNED, JobState.ASSIGNED)


class PlanActionQuerySet(models.QuerySet["PlanAction"]):
    def done(self) -> PlanActionQuerySet:
        return self.filter(undone_at=None).order_by("-pk")

    def undone(self) -> PlanActionQuerySet:
        """The one undone last comes first."""
        return self.exclude(undone_at=None).order_by("-undone_at", "pk")

    def still_possible(self) -> PlanActionQuerySet:
        """Without those of which nothing is left to repeat: on each of their jobs somebody has set off since, or it is
        over. A hold is put on and taken off whatever the state."""
        not_begun = Q(job__state__in=NOT_BEGUN)
        left = (
            PlanStep.objects.filter(not_begun),
            PinHoldStep.objects.filter(
                not_begun | Q(change__in=(PinHoldChange.HELD, PinHoldChange.RELEASED))
            ),
            AbsenceStep.objects.all(),
            OverrunStep.objects.all(),
        )
        return self.filter(reduce(or_, (Q(Exists(steps.filter(action=OuterRef("pk")))) for steps in left)))

    def in_scope(self) -> PlanActionQuerySet:
        """Without those of a job or an absence, or that gave a job to an engineer, of another area than whoever asks
        may change: they were done before the limit."""
        if not current_scope().is_limited:
            return self
        own, job = Engineer.objects.in_scope().values("pk"), postcode_filter("job__")
        elsewhere = ~job | (Q(engineer_after__isnull=False) & ~Q(engineer_after__in=own))
        outside = (
            PlanStep.objects.filter(elsewhere),
            PinHoldStep.objects.exclude(job),
            AbsenceStep.objects.exclude(engineer__in=own),
            OverrunStep.objects.exclude(postcode_filter("visit__job__")),
        )
        return self.filter(*(~Exists(steps.filter(action=OuterRef("pk"))) for steps in outside))

    def with_steps(self) -> PlanActionQuerySet:
        """With what each did, its jobs and people; five queries."""
        steps = PlanStep.objects.select_related("job", *PEOPLE)
        return self.prefetch_related(
            models.Prefetch("steps", steps),
            models.Prefetch("pin_hold_steps", PinHoldStep.objects.select_related("job")),
            models.Prefetch("absence_steps", AbsenceStep.objects.select_related("engineer__user")),
            models.Prefetch("overrun_steps", OverrunStep.objects.select_related("visit__job")),
        )


class PlanAction(models.Model):
    """One press of a dispatcher that changed the plan of one job or of several."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="plan_actions")
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    objects = PlanActionQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["user", "undone_at"], name="action_by_user")]

    def __str__(self) -> str:
        return f"{self.user} {self.made_at:%d %b %H:%M}"


class AbsenceStep(models.Model):
    """An absence that an action entered. Its reason is private and is kept in the absence alone."""

    action = models.ForeignKey(PlanAction, on_delete=models.CASCADE, related_name="absence_steps")
    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.engineer} absent in {self.action}"


class OverrunStep(models.Model):
    """How much longer than planned an action expects a visit to take, and what was expected before."""

    action = models.ForeignKey(PlanAction, on_delete=models.CASCADE, related_name="overrun_steps")
    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="+")
    before = models.DurationField()
    after = models.DurationField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.visit} longer in {self.action}"


class PinHoldChange(models.TextChoices):
    """What can be put on a job beside its plan, and taken off; the values are those of EventKind."""

    PINNED = "pinned"
    UNPINNED = "unpinned"
    HELD = "held"
    RELEASED = "released"

    @property
    def is_pin_change(self) -> bool:
        return self in {PinHoldChange.PINNED, PinHoldChange.UNPINNED}


class PinHoldStep(models.Model):
    """A job that an action pinned or unpinned, held or released. `element`: for which fault it is or was held; `plan`:
    the version of the pinned visit (plan_versions); the versions, numbers of events, tell whether the change is still
    as the action left, or found it."""

    action = models.ForeignKey(PlanAction, on_delete=models.CASCADE, related_name="pin_hold_steps")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+")
    change = models.CharField(max_length=10, choices=PinHoldChange)
    element = models.CharField(max_length=300, blank=True)
    plan = models.CharField(max_length=40, blank=True)
    version_before = models.PositiveIntegerField()
    version_after = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.job} {self.change} in {self.action}"


class PlanStep(models.Model):
    """One job of an action: with whom and from when before and after, all empty for an unassigned job.

    The versions (dispatch.plan_changes.plan_versions) tell whether the plan is still the one that the action left, or
    found.
    """

    action = models.ForeignKey(PlanAction, on_delete=models.CASCADE, related_name="steps")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+")
    engineer_before = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    second_before = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    start_before = models.DateTimeField(null=True)
    engineer_after = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    second_after = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    start_after = models.DateTimeField(null=True)
    version_before = models.CharField(max_length=40)
    version_after = models.CharField(max_length=40)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["action", "job"], name="job_once_per_action"),
            models.CheckConstraint(
                condition=Q(engineer_before=None, start_before=None)
                | Q(engineer_before__isnull=False, start_before__isnull=False),
                name="step_before_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(engineer_after=None, start_after=None)
                | Q(engineer_after__isnull=False, start_after__isnull=False),
                name="step_after_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} in {self.action}"

    @property
    def has_begun(self) -> bool:
        """Whether somebody has set off to the job since, or it is over: it goes on, whatever is undone."""
        return self.job.state not in NOT_BEGUN
