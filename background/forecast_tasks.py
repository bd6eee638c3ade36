"""The worker's tasks that simulate the rest of the day and fetch its drives; only the worker loads them, and numpy with
them."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from closures import spread_learning
from dispatch.driving.travel import home_coordinates, job_coordinates
from dispatch.on_time_forecast import day_forecast
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.road_drives import read_road_drives
from dispatch.planning.travel_server_health import forget_unused_servers
from engineers.shifts import TimeSpan, day_span
from monitoring.task_queue import scheduled_task


@scheduled_task("forecast of the day")
def update_forecast() -> None:
    """Of today, each minute; a run that comes late or twice replaces the forecast."""
    day_forecast.update_forecast(timezone.now())


@scheduled_task("learning of job lengths and travel times")
def learn_spreads() -> None:
    """Each night, for the forecasts of the coming days."""
    spread_learning.learn_spreads(timezone.now())


@scheduled_task("request of travel times")
def fetch_drives() -> None:
    """Of today and tomorrow, from the travel server, so that pages and plans find them stored. What a run has no time
    for, the next one asks."""
    forget_unused_servers()
    if not settings.TRAVEL_SERVER.url:
        return
    now = timezone.now()
    span = TimeSpan(now, day_span(timezone.localtime(now).date() + timedelta(days=1)).end)
    scope = PlanScope(span)
    positions = [
        *map(home_coordinates, scope.select_engineers()),
        *map(job_coordinates, scope.select_jobs(span)),
    ]
    read_road_drives(positions, seconds=settings.WORKER_TASK_SECONDS / 2)
