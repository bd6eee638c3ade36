"""The worker's look at the coming days."""

from dispatch.capacity import capacity_alarms
from monitoring.task_queue import scheduled_task


@scheduled_task("watch for too little time ahead")
def watch_capacity() -> None:
    """Every few minutes; a run that comes late or twice finds the same."""
    capacity_alarms.watch_capacity()
