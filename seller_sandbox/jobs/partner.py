"""The installation partner: where it is reached, and how it is known when it calls."""

from django.conf import settings

# the role at our endpoints, and the recipient of threads about jobs
ROLE = "partner"


def is_partner(subject: str) -> bool:
    return subject in settings.ALLOWED_SUBJECTS
