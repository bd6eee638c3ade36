"""The worker's turn: each minute what customers are to be told."""

from functools import partial

from django.utils import timezone

from customer_messages import message_queue
from monitoring.task_queue import run_each, scheduled_task


@scheduled_task("messages to customers")
def send_customer_messages() -> None:
    """May run twice at once: a row is claimed before it is sent."""
    now = timezone.now()
    run_each(partial(message_queue.enqueue_new, now), partial(message_queue.send_due, now))
