"""Has anything happened to the job? One short word that changes with every event, result and answer in time."""

from django.db.models import Max

from dispatch.models import Job
from phone import provisioning_advice


def version_of(job: Job) -> str:
    """Also changes when waiting has become too long, so that the advice on the page changes by itself."""
    newest = job.events.aggregate(newest=Max("seq"))["newest"] or 0
    advice = provisioning_advice.instruction(job)
    return f"{newest}.{job.results.count()}.{advice.tone if advice else ''}"
