"""Sends a mail through MAIL_SERVER_URL. Only the worker calls it: another machine may take its time."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

SECONDS = 10


def send_mail(*, to: str, subject: str, text: str) -> None:
    """Raises OSError (SMTPException is one) while the server does not take it, or where none is set."""
    server = settings.SIGN_IN.mail
    if server is None:
        raise OSError("MAIL_SERVER_URL is not set")
    connection = EmailBackend(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        use_tls=server.uses_starttls,
        use_ssl=server.uses_tls,
        timeout=SECONDS,
    )
    # no automatic answer comes back
    headers = {"Auto-Submitted": "auto-generated"}
    EmailMessage(subject, text, server.sender, [to], headers=headers, connection=connection).send()
