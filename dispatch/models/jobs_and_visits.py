"""Jobs and the visits to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, datetime, timedelta

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Upper
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dispatch.states import OPEN_STATES, UNDER_WAY, WITH_ONT_SCAN, JobState, JobType
from engineers.area_scope import is_in_scope, postcode_filter
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, working_day_span

SAME = ("uprn", "buyer_order_reference", "seller_order_reference")
# a column of one job → the column of the other
SAME_PREMISES = {**dict(zip(SAME, SAME, strict=True)), "previous_provider_job_id": "provider_job_id"}


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> JobQuerySet:
        return self.filter(state__in=OPEN_STATES)

    def unassigned(self) -> JobQuerySet:
        return self.filter(state=JobState.UNASSIGNED)

    def needing_location(self) -> JobQuerySet:
        return self.open().filter(latitude=None)

    def in_scope(self) -> JobQuerySet:
        """Those of the areas that whoever asks may see (engineers.area_scope)."""
        return self.filter(postcode_filter())

    def on_day(self, day: date) -> JobQuerySet:
        span = day_span(day)
        return self.filter(window_start__lt=span.end, window_end__gt=span.start)

    def for_engineer(self, engineer: Engineer) -> JobQuerySet:
        """Jobs that this engineer has, or had and finished, also as the second one; nobody else's."""
        own = Visit.objects.active().attended_by([engineer]).filter(job=OuterRef("pk"))
        return self.filter(Exists(own))

    def same_premises(self, job: Job) -> JobQuerySet:
        """Other jobs at this UPRN or under this order, or the one named as previous; newest first."""
        return self.at_premises_of([job]).exclude(pk=job.pk)

    def at_premises_of(self, jobs: Iterable[Job]) -> JobQuerySet:
        """The same for several, with themselves."""
        same = Q(pk=None)
        for name, theirs in SAME_PREMISES.items():
            # an anonymised job has none
            values = {getattr(job, name) for job in jobs} - {""}
            same |= Q(**{f"{theirs}__in": values}) if values else Q(pk=None)
        return self.filter(same).order_by("-window_start")


class Job(models.Model):
    """One job pack and where it stands. Only `dispatch.job_events.record_event` writes `state`.

    Texts that the contract leaves unbounded have no length here: a long one must not lose a job.
    """

    provider_job_id = models.CharField(_("job number"), max_length=36, unique=True)
    seller_job_id = models.CharField(_("the seller's job number"), max_length=36, unique=True)
    content_sha256 = models.CharField(max_length=64)
    job_type = models.CharField(_("job type"), max_length=12, choices=JobType)
    state = models.CharField(_("state"), max_length=10, choices=JobState)
    received_at = models.DateTimeField(_("received"))

    buyer_order_reference = models.CharField(max_length=36, blank=True, db_index=True)
    seller_order_reference = models.CharField(max_length=36, blank=True, db_index=True)
    service_identifier = models.TextField(blank=True)
    product_name = models.TextField()
    line_profile = models.TextField(blank=True)
    reservation_key = models.TextField(blank=True)

    uprn = models.CharField(max_length=12, db_index=True)
    address_lines = models.JSONField(default=list)
    town = models.TextField(blank=True)
    postcode = models.TextField(_("postcode"), blank=True)
    # upper case without blanks, to be found however it was typed
    postcode_key = models.CharField(max_length=20, blank=True, db_index=True)
    latitude = models.FloatField(null=True)
    longitude = models.FloatField(null=True)
    classification = models.TextField(blank=True)
    flags = models.JSONField(default=list)

    contact_name = models.TextField()
    contact_phone = models.TextField()
    contact_email = models.TextField(blank=True)
    access_restrictions = models.TextField(blank=True)
    preferred_ont_location = models.TextField(blank=True)
    hazards = models.TextField(blank=True)
    site_notes = models.TextField(blank=True)

    window_start = models.DateTimeField(_("start of the window"))
    window_end = models.DateTimeField(_("end of the window"))
    duration_minutes = models.PositiveSmallIntegerField()

    ont_vendor = models.TextField(blank=True)
    ont_model = models.TextField(blank=True)
    ont_fsan = models.TextField(blank=True)
    ont_serial_number = models.TextField(blank=True)
    network = models.JSONField(default=dict)
    previous_provider_job_id = models.CharField(max_length=36, blank=True)
    # job_pack.FaultReport.as_json
    fault = models.JSONField(default=dict)
    # pinned when work starts, so that a new edition never rewrites a job that is under way
    matrix_edition = models.CharField(max_length=60, blank=True)
    last_event_seq = models.PositiveIntegerField(default=0)
    # since when the office holds it back, and the subject of the alarm for which it does (dispatch.holds)
    on_hold_since = models.DateTimeField(null=True)
    on_hold_for = models.CharField(max_length=300, blank=True)
    # since when nothing in this row or in its events is about a person (dispatch.retention)
    anonymised_at = models.DateTimeField(null=True)
    # when an event was last added after that, which may be about a person again
    written_again_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ["window_start", "postcode", "pk"]
        indexes = [
            models.Index(fields=["state", "window_start"], name="job_by_state_and_window"),
            # reports look back over all states
            models.Index(fields=["window_start"], name="job_by_window"),
            # what retention anonymises: not all that it has anonymised in years
            models.Index(
                fields=["received_at"], condition=Q(anonymised_at__isnull=True), name="job_personal"
            ),
            models.Index(
                fields=["written_again_at"],
                condition=Q(written_again_at__isnull=False),
                name="job_written_again",
            ),
            models.Index(
                fields=["on_hold_since"], condition=Q(on_hold_since__isnull=False), name="job_on_hold"
            ),
            # `iexact` would not use an index on SQLite, nor the plain one on PostgreSQL (search.has_order)
            models.Index(Upper("buyer_order_reference"), name="job_by_buyer_reference"),
            models.Index(Upper("seller_order_reference"), name="job_by_seller_reference"),
            models.Index(Upper("seller_job_id"), name="job_by_seller_job_id"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(window_start__lt=F("window_end")), name="window_starts_before_it_ends"
            ),
        ]

    def __str__(self) -> str:
        return self.provider_job_id

    @property
    def title(self) -> str:
        """How people name it: by its postcode, or by its number where it has none."""
        return self.postcode or self.provider_job_id

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def needs_location(self) -> bool:
        return self.latitude is None or self.longitude is None

    @property
    def was_received_late(self) -> bool:
        """On the day of the appointment or after: the document's limit is the day before (createJob)."""
        return self.window_start < day_span(timezone.localdate(self.received_at)).end

    @property
    def has_ont_scan(self) -> bool:
        return self.job_type in WITH_ONT_SCAN

    @property
    def window(self) -> TimeSpan:
        return TimeSpan(self.window_start, self.window_end)

    @property
    def duration(self) -> timedelta:
        return timedelta(minutes=self.duration_minutes)

    @property
    def address(self) -> str:
        return ", ".join([*self.address_lines, self.town, self.postcode])


class VisitQuerySet(models.QuerySet["Visit"]):
    def active(self) -> VisitQuerySet:
        """Those that still hold an engineer's time: planned, under way or done, not taken off."""
        return self.filter(unassigned_at=None)

    def in_scope(self) -> VisitQuerySet:
        """Those for jobs of the areas that whoever asks may see."""
        return self.filter(postcode_filter("job__"))

    def current(self) -> VisitQuerySet:
        return self.active().filter(ended_at=None)

    def current_by_job(self, jobs: Collection[int]) -> dict[int, Visit]:
        """The current visit of each of these jobs (keys) that has one. One query."""
        return {visit.job_id: visit for visit in self.current().filter(job__in=jobs)}

    def overlapping(self, span: TimeSpan) -> VisitQuerySet:
        return self.filter(planned_start__lt=span.end, planned_end__gt=span.start)

    def of_working_day(self, moment: datetime) -> VisitQuerySet:
        """Those planned in working_day_span of this moment, and what has been under way since up to a day before
        it."""
        span = working_day_span(moment)
        is_planned = Q(planned_end__gt=span.start)
        is_under_way = Q(ended_at=None, job__state__in=UNDER_WAY)
        recent = self.filter(planned_start__lt=span.end, planned_end__gt=moment - timedelta(days=1))
        return recent.filter(is_planned | is_under_way)

    def attended_by(self, engineers: Iterable[Engineer | int]) -> VisitQuerySet:
        """Visits of these engineers (or their keys), as the first or as the second."""
        people = list(engineers)
        return self.filter(Q(engineer__in=people) | Q(second_engineer__in=people))


class Visit(models.Model):
    """One engineer's time on one job, or a team's of two (dispatch.teams). Taken off (reassigned, cancelled) or ended
    (closed), never deleted."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="visits")
    engineer = models.ForeignKey(Engineer, on_delete=models.PROTECT, related_name="visits")
    # who accompanies the engineer, at the same time
    second_engineer = models.ForeignKey(
        Engineer, on_delete=models.PROTECT, null=True, related_name="accompanied_visits"
    )
    planned_start = models.DateTimeField()
    planned_end = models.DateTimeField()
    travel_started_at = models.DateTimeField(null=True)
    arrived_at = models.DateTimeField(null=True)
    # by our clock, for a closing as for a cancellation: from this moment on, and no earlier, the office can plan with
    # the time that is left (occupied_time.occupied_span); when the phone says it happened is in the event and the
    # closure
    ended_at = models.DateTimeField(null=True)
    unassigned_at = models.DateTimeField(null=True)
    # it begins after the window, as agreed with the customer (dispatch.agreed_starts)
    is_start_agreed = models.BooleanField(default=False)
    # dispatch.pins: promised, so nothing moves it until it is unpinned
    is_pinned = models.BooleanField(default=False)
    # dispatch.plan_changes.plan_overruns: how much longer than planned it is expected to take
    overrun = models.DurationField(default=timedelta)

    objects = VisitQuerySet.as_manager()

    class Meta:
        ordering = ["planned_start", "pk"]
        indexes = [models.Index(fields=["engineer", "planned_start"], name="visit_by_engineer_and_start")]
        constraints = [
            models.UniqueConstraint(
                fields=["job"], condition=Q(unassigned_at=None), name="one_standing_visit_per_job"
            ),
            models.CheckConstraint(
                condition=Q(planned_start__lt=F("planned_end")), name="visit_starts_before_it_ends"
            ),
            models.CheckConstraint(
                condition=Q(second_engineer=None) | ~Q(second_engineer=F("engineer")),
                name="second_engineer_is_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} with {self.engineer}"

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.planned_start, self.planned_end)

    @property
    def expected_length(self) -> timedelta:
        return self.span.length + self.overrun

    @property
    def people(self) -> list[Engineer]:
        """Who attends, the first engineer first."""
        return [self.engineer, self.second_engineer] if self.second_engineer else [self.engineer]

    @property
    def people_keys(self) -> tuple[int, ...]:
        """Of `people`, without reading them."""
        return (self.engineer_id, self.second_engineer_id) if self.second_engineer_id else (self.engineer_id,)

    @property
    def is_in_scope(self) -> bool:
        """Whether the job is one that whoever asks may see, as VisitQuerySet.in_scope says."""
        return is_in_scope(self.job.postcode)

    def colleague_of(self, engineer: Engineer) -> Engineer | None:
        """The other one of the team; None for whoever attends alone."""
        return self.second_engineer if engineer.pk == self.engineer_id else self.engineer
