"""Whose address a request has: behind our proxy everybody seems to come from the proxy itself."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The caller's address. What X-Forwarded-For says counts only from one of TRUSTED_PROXIES.

    Read from its end: each proxy of ours adds who called it, and whatever stands before the first stranger was
    written by that stranger.
    """
    address = str(request.META.get("REMOTE_ADDR", ""))
    told = request.headers.get("X-Forwarded-For", "").split(",")
    while address in settings.TRUSTED_PROXIES and told:
        before = _address(told.pop())
        if not before:
            break
        address = before
    return address


def _address(text: str) -> str:
    try:
        return str(ip_address(text.strip()))
    except ValueError:
        return ""
