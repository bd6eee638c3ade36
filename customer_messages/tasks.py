"""The worker's turn: each minute what customers are to be told."""

from django.utils import timezone

from customer_messages import message_queue
from monitoring.task_queue import task


@task
def send_customer_messages() -> None:
    """May run twice at once: a row is claimed before it is sent."""
    now = timezone.now()
    message_queue.enqueue_new(now)
    message_queue.send_due(now)
