"""The other visits of those who would attend, which a visit is checked against."""

from collections.abc import Collection

from dispatch.expected_visits import expected_of
from dispatch.models import Visit
from dispatch.occupied_time import blocking_visits, is_withdrawn, withdrawn_visits
from dispatch.progress_today import AS_PLANNED, ProgressToday
from dispatch.visit_proposals import VisitProposal
from engineers.models import Engineer


def read_others(
    proposal: VisitProposal, people: Collection[Engineer], *, leaving: Collection[int]
) -> tuple[list[Visit], ProgressToday]:
    """The visits of these people that hold time in the proposal's neighbourhood, and what has become of their day;
    without those of the jobs (keys) `leaving`."""
    own, present = Visit.objects.attended_by(people), proposal.present
    blocking = blocking_visits(own.exclude(job__in=leaving), span=proposal.neighbourhood)
    if present is None:
        return list(blocking.select_related("job")), AS_PLANNED
    # in one query; also of a job that is leaving, for they had set off
    found = list((blocking | withdrawn_visits(own, now=present)).select_related("job"))
    others = [visit for visit in found if not is_withdrawn(visit)]
    keys, without = [person.pk for person in people], [*leaving, proposal.job.pk]
    apart = [other for other in others if other.job_id != proposal.job.pk]
    expected = expected_of(apart, people=keys, without=without, now=present)
    return others, ProgressToday(expected, [visit for visit in found if is_withdrawn(visit)])
