"""A new password by mail: the answer is the same, whether the account exists or not; the worker looks for it, so
that the time of an answer says nothing either."""

import uuid
from collections.abc import Iterable

import structlog
from django.conf import settings
from django.db.models import Q
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import override

from engineers.models import User
from engineers.sign_in import sign_in_links
from engineers.sign_in.sign_in_link_views import link_address
from engineers.sign_in.sign_in_links import IssuedLink
from monitoring import mail_server, task_queue
from monitoring.mail_server import NotMailed

log = structlog.get_logger("engineers.sign_in.password_reset")
LONGEST_NAME = 254


@task_queue.task
def send_password_links(typed: str) -> None:
    """To every active account with this user name or e-mail address, and an address to send to. Raises OSError where
    the mail server takes none of the mails: the worker tries again."""
    refusals, sent = list[OSError](), 0
    for user in _meant(typed):
        try:
            sent += _mail_link(user)
        except OSError as problem:
            refusals.append(problem)
    if refusals and not sent:
        raise refusals[0]


def _mail_link(user: User) -> bool:
    """Whether there was one to send. Raises OSError."""
    with override(user.language or settings.LANGUAGE_CODE):
        issued = sign_in_links.issue_for_mail(user=user)
        if issued is None:
            return False
        try:
            _send(user, subject=_("Choose a new password"), text=_text(user, issued))
        except OSError as problem:
            # its mail may have arrived, and a second try would bring another one
            if isinstance(problem, NotMailed) and not problem.is_certain:
                log.warning("mail with a link not confirmed", error=problem.reason.log_text())
                return True
            # the next try has another one; this one would count among the few in an hour
            sign_in_links.withdraw(issued)
            raise
    return True


def _send(user: User, *, subject: str, text: str) -> None:
    """Raises OSError while the server does not take it, or where none is set."""
    server = settings.MAIL_SERVER
    if server is None:
        raise OSError("MAIL_SERVER_URL is not set")
    mail_server.send_mail(server, to=user.email, subject=subject, text=text, message_id=str(uuid.uuid4()))


def _meant(typed: str) -> Iterable[User]:
    named = Q(username__iexact=User.normalize_username(typed)) | Q(email__iexact=typed)
    return User.objects.filter(named, is_active=True).exclude(email="").order_by("pk")


def _text(user: User, issued: IssuedLink) -> str:
    parameters = {
        "name": user.display_name,
        "username": user.username,
        "address": link_address(issued.secret),
        "until": date_format(localtime(issued.expires_at), "H:i"),
    }
    text = _(
        "Hello %(name)s,\n\n"
        "somebody asked for a new password for your account “%(username)s”. Open this link and choose one. "
        "It works once, until %(until)s:\n\n%(address)s\n\n"
        "If it was not you, do nothing: your password stays as it is. Don't share the link."
    )
    return text % parameters
