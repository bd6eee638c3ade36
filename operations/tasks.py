"""The worker's look at the backups."""

from monitoring.task_queue import scheduled_task
from operations import backup_age


@scheduled_task("watch for overdue backups")
def watch_backups() -> None:
    """Every few minutes; a run that comes late or twice finds the same."""
    backup_age.watch_backups()
