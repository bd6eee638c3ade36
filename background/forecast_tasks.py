"""The worker's tasks that simulate the rest of the day; only the worker loads them, and numpy with them."""

from django.utils import timezone

from closures import spread_learning
from dispatch.chances import day_forecast
from monitoring.task_queue import task


@task
def update_forecast() -> None:
    """Of today, each minute; a run that comes late or twice replaces the forecast."""
    day_forecast.update_forecast(timezone.now())


@task
def learn_spreads() -> None:
    """Each night, for the forecasts of the coming days."""
    spread_learning.learn_spreads(timezone.now())
