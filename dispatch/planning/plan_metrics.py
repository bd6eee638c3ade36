"""The planner in figures, over the last 24 hours: proposals by state, and how long they took to make."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dispatch.models import PlanProposal, ProposalState

# gauges and no counters: proposals are deleted after some days
SPAN = timedelta(hours=24)
QUANTILES = (0.5, 0.95, 1.0)


class PlanCollector(Collector):
    """An office makes a few proposals an hour: all of a day are read at each question."""

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        rows = list(
            PlanProposal.objects.filter(requested_at__gt=now - SPAN)
            .order_by()
            .values_list("state", "requested_at", "made_at")
        )
        yield _by_state([state for state, _requested_at, _made_at in rows])
        ready = [
            (requested, made) for state, requested, made in rows if made and state == ProposalState.READY
        ]
        yield _seconds(sorted((made - requested).total_seconds() for requested, made in ready))
        yield _oldest([requested for _state, requested, made in rows if made is None], now)


def _by_state(states: list[str]) -> Metric:
    proposals = GaugeMetricFamily("plan_proposals", "Proposals of the last 24 hours", labels=["state"])
    numbers = Counter(states)
    for state in ProposalState:
        proposals.add_metric([state], numbers[state])
    return proposals


def _seconds(lengths: list[float]) -> Metric:
    """From the request to the proposal: what a dispatcher waits."""
    seconds = GaugeMetricFamily(
        "plan_seconds", "From the request to the proposal, last 24 hours", labels=["quantile"]
    )
    for quantile in QUANTILES:
        rank = max(0, round(quantile * len(lengths)) - 1)
        seconds.add_metric([str(quantile)], lengths[rank] if lengths else 0)
    return seconds


def _oldest(unmade: list[datetime], now: datetime) -> Metric:
    age = GaugeMetricFamily("plan_oldest_unmade_seconds", "Since the oldest request that has no proposal yet")
    age.add_metric([], (now - min(unmade)).total_seconds() if unmade else 0)
    return age
