"""Jobs: a list in pages with filters, and one with everything that belongs to it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, NoReturn

from django.db.models import OuterRef, Prefetch, Subquery
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from dispatch.models import Job, JobEvent, JobQuerySet, Visit
from dispatch.problems import build_or_replace
from dispatch.states import JobState
from engineers.area_scope import lies_in
from engineers.areas import area_map
from engineers.models import Area
from partner_api import access_tokens
from partner_api.api_view import NotThere, PartnerApiView
from partner_api.job_serializers import JobDetailSerializer, JobSummarySerializer
from partner_api.models import AccessToken, Scope
from partner_api.pages import PageQuerySerializer, QueryDayField, UtcMomentField, read_page

# what was recorded in this time before `as_of` may have been committed after the answer: it comes again
OVERLAP = timedelta(minutes=1)


class AreaField(serializers.CharField):
    """The name of an area that the token may read."""

    def to_internal_value(self, value: Any) -> int:
        name, token = super().to_internal_value(value), self.context["token"]
        found = token.areas.all() if token.is_limited_to_areas else Area.objects.all()
        area = found.filter(name__iexact=name).first()
        if area is None:
            text = _("This token reads no area of this name. /api/v1/areas lists those that it reads.")
            raise serializers.ValidationError(text)
        return int(area.pk)


class JobQuerySerializer(PageQuerySerializer):
    state = serializers.MultipleChoiceField(
        choices=JobState.choices, required=False, help_text="May be repeated: state=assigned&state=en_route."
    )
    day = QueryDayField(required=False, help_text="The appointment window touches this day.")
    area = AreaField(required=False, help_text="Name of an area.")
    changed_since = UtcMomentField(
        required=False, help_text="Something was recorded about it since; RFC 3339."
    )


class JobListView(PartnerApiView):
    """Seven queries, however many jobs a page has."""

    scope = Scope.JOBS_READ
    query_serializer = JobQuerySerializer

    def get(self, request: Request) -> HttpResponseBase:
        """A page of jobs. For a copy of your own: keep `as_of` of the first page, and ask for what changed since."""
        as_of, query = timezone.now() - OVERLAP, self.read_query()
        page = read_page(_filtered(readable_jobs(self.token), query), query, request)
        jobs, broken = _summaries(page.rows, JobSummarySerializer(context=job_context(self.token)))
        data = {"jobs": jobs, "broken": broken, "next": page.next}
        return self.answer({**data, "as_of": UtcMomentField().to_representation(as_of)}, about=data)


class JobView(PartnerApiView):
    """Nine queries."""

    scope = Scope.JOBS_READ

    def get(self, _request: Request, number: str) -> HttpResponseBase:
        """One job with its visits, events, closure and list of evidence."""
        self.read_query()
        jobs = (
            readable_jobs(self.token).select_related("closure__engineer").prefetch_related("events", "photos")
        )
        job = jobs.filter(provider_job_id=number.upper()).first()
        if job is None:
            raise NotThere(
                _("There is no job of this number that this token may read. Check number and areas.")
            )
        serializer = JobDetailSerializer(job, context=job_context(self.token))
        return self.answer(build_or_replace(job, lambda: dict(serializer.data), _refuse_broken))


class BrokenJob(APIException):
    """409: the stored data of the job cannot be put into an answer, however often it is asked for."""

    status_code = HTTPStatus.CONFLICT
    default_code = "job_broken"


def _refuse_broken(reason: str) -> NoReturn:
    raise BrokenJob(reason)


@dataclass(frozen=True)
class BrokenRow:
    """A job of a list whose stored data cannot be put into the answer."""

    number: str
    reason: str


def _summaries(
    jobs: Iterable[Job], serializer: JobSummarySerializer
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The jobs, and beside them the broken ones: a copy gets past these."""
    rows: list[dict[str, Any] | BrokenRow] = [
        build_or_replace(
            job, partial(serializer.to_representation, job), partial(BrokenRow, job.provider_job_id)
        )
        for job in jobs
    ]
    broken = [asdict(row) for row in rows if isinstance(row, BrokenRow)]
    return [row for row in rows if not isinstance(row, BrokenRow)], broken


def readable_jobs(token: AccessToken) -> JobQuerySet:
    """Those in the token's areas, with their visits."""
    newest = JobEvent.objects.filter(job=OuterRef("pk"), seq=OuterRef("last_event_seq"))
    visits = Visit.objects.select_related("engineer", "second_engineer")
    jobs = Job.objects.annotate(changed_at=Subquery(newest.values("recorded_at")[:1]))
    if token.is_limited_to_areas:
        jobs = jobs.filter(lies_in(area.pk for area in token.areas.all()))
    return jobs.prefetch_related(Prefetch("visits", visits))


def job_context(token: AccessToken) -> dict[str, Any]:
    """What the serializers of jobs need. Where they name customers, that is audited."""
    with_customers = Scope.CUSTOMERS_READ in token.scopes
    if with_customers:
        access_tokens.record_customers_read(token)
    return {"areas": area_map(Area.objects.all()), "with_customers": with_customers}


def _filtered(jobs: JobQuerySet, query: dict[str, Any]) -> JobQuerySet:
    if query["state"]:
        jobs = jobs.filter(state__in=query["state"])
    if "day" in query:
        jobs = jobs.on_day(query["day"])
    if "area" in query:
        jobs = jobs.filter(lies_in([query["area"]]))
    if "changed_since" in query:
        changed = JobEvent.objects.filter(recorded_at__gte=query["changed_since"])
        jobs = jobs.filter(pk__in=changed.values("job"))
    return jobs
