"""Proposals of the planner: what it would change in the plan, and why. Nothing in them has happened yet."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from dispatch.models.jobs_and_visits import Job
from dispatch.models.plan_history import PlanAction
from engineers.area_scope import postcode_filter
from engineers.current_scope import current_scope
from engineers.models import Engineer, User


class ProposalState(models.TextChoices):
    REQUESTED = "requested", _("Waiting")
    PLANNING = "planning", _("Planning")
    READY = "ready", _("Ready")
    FAILED = "failed", _("Failed")


class ChangeKind(models.TextChoices):
    ASSIGN = "assign", _("Assign")
    REASSIGN = "reassign", _("Reassign")
    RESCHEDULE = "reschedule", _("Reschedule")
    UNASSIGN = "unassign", _("Unassign")
    REMAIN_UNASSIGNED = "remain", _("Remains unassigned")
    STAY_LATE = "stay_late", _("Stays, but later")


# shown to the dispatcher; there is nothing to accept
UNCHANGED_KINDS = frozenset({ChangeKind.REMAIN_UNASSIGNED, ChangeKind.STAY_LATE})


class Occasion(models.TextChoices):
    URGENT_JOB = "urgent_job", _("A job is urgent")
    ENGINEER_ABSENT = "engineer_absent", _("An engineer is absent")
    VISIT_LONGER = "visit_longer", _("A visit takes longer")
    JOB_CANCELLED = "job_cancelled", _("A job is cancelled")
    NO_ACCESS = "no_access", _("No access")


class PlanOption(models.TextChoices):
    """As dispatch.planning.plan_options makes them, in this order."""

    NEAREST = "nearest", _("Only the nearest engineers")
    WIDER = "wider", _("Engineers further away too")
    EVERYBODY = "everybody", _("Everybody, and all unassigned jobs")


class TravelNote(models.TextChoices):
    """Why a travel server that is configured did not give all travel times of a plan."""

    UNREACHABLE = "unreachable", _("Travel times estimated: the travel server can't be reached.")
    INCOMPLETE = (
        "incomplete",
        _("Some travel times are estimated: the travel server has not answered for them yet."),
    )


class PlanComparison(models.Model):
    """Proposals for the rest of a day after something has happened, or if it happened: `job`, `engineer` with
    `absent_since`, and `longer_minutes` as the occasion needs them. `overrun`: what a longer visit then takes
    beyond its planned length, with what was expected of it when this was requested. `version`: the plan
    (dispatch.plan_changes.plan_versions) that the job had then, empty without a job. One proposal for each option."""

    requested_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="plan_comparisons")
    requested_at = models.DateTimeField()
    occasion = models.CharField(max_length=20, choices=Occasion)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, null=True, related_name="+")
    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    absent_since = models.DateTimeField(null=True)
    longer_minutes = models.PositiveSmallIntegerField(default=0)
    overrun = models.DurationField(default=timedelta)
    version = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.get_occasion_display()} {self.requested_at:%d %b %H:%M}"


class PlanProposalQuerySet(models.QuerySet["PlanProposal"]):
    def in_scope(self) -> PlanProposalQuerySet:
        """For somebody who is limited to some areas: plans of one of these alone."""
        areas = current_scope().areas
        if areas is None:
            return self
        outside = ProposedChange.objects.exclude(postcode_filter("job__"))
        return self.filter(scope__area__in=sorted(areas)).exclude(pk__in=outside.values("proposal"))


class PlanProposal(models.Model):
    """One run of the planner for a dispatcher. `scope` as dispatch.planning.proposals writes it.

    While it runs and afterwards: `value` of `possible_value`, travel of the whole scope today and in the best plan so
    far, in seconds; `misses`: expected visits that begin after their window, there and today. `ended_by`:
    routing_problem.EndedBy. `failure`: a technical text, empty for none. `pinned_breaches`: of each visit that
    stays although it breaks rules the `job` (key) and the `codes` of availability; proposal_texts words them.
    """

    requested_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="plan_proposals")
    requested_at = models.DateTimeField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    scope = models.JSONField(default=dict)
    seconds = models.PositiveSmallIntegerField()
    # to be searched after the first plan, None for as many as fit into the seconds, and those that were
    neighbourhoods = models.PositiveIntegerField(null=True)
    neighbourhoods_searched = models.PositiveIntegerField(default=0)
    seed = models.PositiveIntegerField(default=1)
    # of driving that it costs to take a visit from its engineer or its time: the higher, the fewer are moved
    change_minutes = models.PositiveSmallIntegerField(default=0)

    # one of several options that are compared; empty and None for a plan of its own
    option = models.CharField(max_length=10, choices=PlanOption, blank=True)
    comparison = models.ForeignKey(
        PlanComparison, on_delete=models.CASCADE, null=True, related_name="proposals"
    )

    state = models.CharField(max_length=10, choices=ProposalState, default=ProposalState.REQUESTED)
    started_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=10, blank=True)
    failure = models.CharField(max_length=300, blank=True)
    travel_note = models.CharField(max_length=12, choices=TravelNote, blank=True)
    value = models.PositiveIntegerField(default=0)
    possible_value = models.PositiveIntegerField(default=0)
    travel_seconds_before = models.PositiveIntegerField(default=0)
    travel_seconds = models.PositiveIntegerField(default=0)
    misses_before = models.FloatField(null=True)
    misses = models.FloatField(null=True)
    pinned_breaches = models.JSONField(default=list)
    # nobody had a visit that could be moved, so it was made as a new plan, whatever may change
    is_first_plan = models.BooleanField(default=False)
    # what one press undoes of what was accepted last
    action = models.ForeignKey(PlanAction, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = PlanProposalQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(starts_at__lt=F("ends_at")), name="proposal_starts_before_it_ends"
            ),
            models.UniqueConstraint(fields=["comparison", "option"], name="option_once_per_comparison"),
        ]

    def __str__(self) -> str:
        return f"{self.requested_by} {self.requested_at:%d %b %H:%M}"

    @property
    def is_running(self) -> bool:
        return self.state in {ProposalState.REQUESTED, ProposalState.PLANNING}


class ProposedChange(models.Model):
    """One job of a proposal: with whom and from when before and after, both empty for an unassigned job; `second_…`:
    who accompanies. A visit that stays late is expected at `start_after` and planned as before.

    `version`: the plan (dispatch.plan_changes.plan_versions) from which the planner began. `reason` and `parameters`:
    rendered in the reader's language by dispatch.planning.proposal_texts. `action`: what accepted it last, undone or
    not.
    """

    proposal = models.ForeignKey(PlanProposal, on_delete=models.CASCADE, related_name="changes")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=ChangeKind)
    engineer_before = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    second_before = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    start_before = models.DateTimeField(null=True)
    engineer_after = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    second_after = models.ForeignKey(Engineer, on_delete=models.CASCADE, null=True, related_name="+")
    start_after = models.DateTimeField(null=True)
    version = models.CharField(max_length=40)
    reason = models.CharField(max_length=30)
    parameters = models.JSONField(default=dict)
    accepted_at = models.DateTimeField(null=True)
    action = models.ForeignKey(PlanAction, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["start_after", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["proposal", "job"], name="job_once_per_proposal"),
            models.CheckConstraint(
                condition=Q(engineer_after=None, start_after=None)
                | Q(engineer_after__isnull=False, start_after__isnull=False),
                name="change_after_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.job} in {self.proposal}"

    @property
    def people_before(self) -> list[Engineer]:
        return [person for person in (self.engineer_before, self.second_before) if person]

    @property
    def people_after(self) -> list[Engineer]:
        return [person for person in (self.engineer_after, self.second_after) if person]
