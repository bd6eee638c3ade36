"""The language that somebody has chosen, on every browser in which they sign in."""

from django.conf import settings
from django.http import HttpResponse

from engineers.models import User


def set_language_cookie(response: HttpResponse, user: User) -> None:
    """Whoever has chosen none keeps that of the browser."""
    if not user.language:
        return
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        user.language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
