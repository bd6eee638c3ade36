"""Sessions that slide: SESSION_HOURS count from the last use, at one write an hour and not at one for each request."""

import time
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

log = structlog.get_logger("engineers.sessions")
RENEWED_AT = "renewed_at"
# with which browser somebody signed in, and when (engineers.sign_in.devices)
USER_AGENT, SIGNED_IN_AT = "user_agent", "signed_in_at"
MAX_USER_AGENT = 300
RENEW_SECONDS = 3600


class SlidingSessionMiddleware(SessionMiddleware):
    """Django's own, which writes a session that was changed and sends its cookie again."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        # a page that did not look at the session shall not depend on its cookie
        is_renewal = request.session.accessed and _renew(request.session)
        try:
            return super().process_response(request, response)
        except (OperationalError, InterfaceError, SessionInterrupted) as problem:
            if not is_renewal:
                raise
            # the page has done what it was asked for; the next one renews the session, or finds that it has ended
            log.warning("session not renewed", error=type(problem).__name__)
            request.session.modified = False
            return super().process_response(request, response)


def _renew(session: SessionBase) -> bool:
    """Whether it was due and nothing else in the session has changed."""
    # a quarter, so that a phone that asks now and then never just misses it
    every = min(RENEW_SECONDS, settings.SESSION_COOKIE_AGE // 4)
    now = int(time.time())
    # of a clock that was far ahead, a renewal counts for none: the cookie would end before the next one
    if SESSION_KEY not in session or abs(now - session.get(RENEWED_AT, 0)) < every:
        return False
    is_changed = session.modified
    session[RENEWED_AT] = now
    return not is_changed


class SessionStore(db.SessionStore):
    def save(self, *args: Any, **options: Any) -> None:
        """Raises OperationalError or InterfaceError while the database cannot write."""
        try:
            super().save(*args, **options)
        except UpdateError as problem:
            if isinstance(problem.__context__, OperationalError | InterfaceError):
                raise problem.__context__ from None
            raise


def is_stored(session: SessionBase) -> bool:
    """Whether it has not ended since the request began (staff.end_access)."""
    key = session.session_key
    return key is not None and session.exists(key)


def note_device(request: HttpRequest, **_kwargs: object) -> None:
    request.session[USER_AGENT] = request.headers.get("User-Agent", "")[:MAX_USER_AGENT]
    request.session[SIGNED_IN_AT] = int(time.time())


user_logged_in.connect(note_device, dispatch_uid="note_device")
