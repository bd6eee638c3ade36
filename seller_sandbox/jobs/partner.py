"""The installation partner: how it is known when it calls."""

from django.conf import settings


def is_partner(subject: str) -> bool:
    return subject in settings.ALLOWED_SUBJECTS
