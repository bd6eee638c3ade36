"""What `manage.py check` and the start of web, worker and services refuse of the settings of planning."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from dispatch.planning.proposals import LEAST_SECONDS, OVERHEAD_SECONDS


@register("settings")
def travel_server_leaves_time_to_plan(**_kwargs: Any) -> list[CheckMessage]:
    """The task that makes a plan waits for the travel server first, and is stopped after WORKER_TASK_SECONDS."""
    server = settings.TRAVEL_SERVER
    longest = settings.WORKER_TASK_SECONDS - OVERHEAD_SECONDS - LEAST_SECONDS
    if not server.url or server.seconds <= longest:
        return []
    needed = server.seconds + OVERHEAD_SECONDS + LEAST_SECONDS
    return [
        Error(
            f"TRAVEL_SERVER_SECONDS is {server.seconds:g}, which leaves no time to plan in a task of "
            f"WORKER_TASK_SECONDS ({settings.WORKER_TASK_SECONDS}).",
            hint=f"Set WORKER_TASK_SECONDS to at least {needed:g}"
            + (f", or TRAVEL_SERVER_SECONDS to at most {longest:g}." if longest > 0 else "."),
            id="dispatch.E001",
        )
    ]
