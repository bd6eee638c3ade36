"""Alarms by mail, through MAIL_SERVER_URL."""

import smtplib

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

from alerting.channels.channel_errors import AlarmNotDelivered, not_set_up
from alerting.models import AlarmDelivery

SECONDS = 5
PERMANENT_CODE = 500


def send_mail(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same Message-ID, so that a mail program shows it once."""
    domain = settings.ALERTING.mail_from.rpartition("@")[2]
    message = EmailMessage(
        subject=delivery.title,
        body=delivery.text,
        from_email=settings.ALERTING.mail_from,
        to=[delivery.address],
        headers={
            "Message-ID": f"<{delivery.delivery_id}@{domain}>",
            # no automatic answer comes back
            "Auto-Submitted": "auto-generated",
        },
        connection=_server(),
    )
    try:
        message.send()
    except smtplib.SMTPException as problem:
        raise _not_delivered(problem) from None
    except (OSError, ValueError) as problem:
        raise AlarmNotDelivered(f"mail server: {type(problem).__name__}") from None


def _server() -> EmailBackend:
    server = settings.ALERTING.mail
    if server is None:
        raise not_set_up("MAIL_SERVER_URL")
    return EmailBackend(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        use_tls=server.uses_starttls,
        use_ssl=server.uses_tls,
        timeout=SECONDS,
    )


def _not_delivered(problem: smtplib.SMTPException) -> AlarmNotDelivered:
    """The server's number, not its words: they may repeat anything."""
    code = getattr(problem, "smtp_code", None)
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        code = min(code for code, _text in problem.recipients.values())
    is_permanent = isinstance(problem, smtplib.SMTPRecipientsRefused) and (code or 0) >= PERMANENT_CODE
    numbered = f" {code}" if code else ""
    return AlarmNotDelivered(f"mail server: {type(problem).__name__}{numbered}", is_permanent=is_permanent)
