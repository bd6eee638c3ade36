"""One mail through a mail server."""

import smtplib
from typing import Protocol

from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

MAIL_SECONDS = 8
PERMANENT_CODE = 500


class NotMailed(OSError):
    """The text says why, without what the server said, which may repeat anything. `is_certain`: it was not taken;
    `is_permanent`: this recipient never will be."""

    def __init__(self, reason: str, *, is_certain: bool, is_permanent: bool = False) -> None:
        super().__init__(reason)
        self.is_certain, self.is_permanent = is_certain, is_permanent


class Server(Protocol):
    """As config.message_channels.MailServer has it."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def user(self) -> str: ...
    @property
    def password(self) -> str: ...
    @property
    def uses_starttls(self) -> bool: ...
    @property
    def uses_tls(self) -> bool: ...
    @property
    def sender(self) -> str: ...


def send_mail(server: Server, *, to: str, subject: str, text: str, message_id: str) -> None:
    """Raises NotMailed. A repetition has the same Message-ID, so that a mail program shows it once."""
    domain = server.sender.rpartition("@")[2]
    # no automatic answer comes back
    headers = {"Message-ID": f"<{message_id}@{domain}>", "Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(
            subject=subject,
            body=text,
            from_email=server.sender,
            to=[to],
            headers=headers,
            connection=_connection(server),
        ).send()
    except smtplib.SMTPRecipientsRefused as problem:
        code = min(code for code, _text in problem.recipients.values())
        reason, is_permanent = f"mail server: {type(problem).__name__} {code}", code >= PERMANENT_CODE
        raise NotMailed(reason, is_certain=True, is_permanent=is_permanent) from None
    except (smtplib.SMTPResponseException, ConnectionRefusedError) as problem:
        status = getattr(problem, "smtp_code", "")
        raise NotMailed(f"mail server: {type(problem).__name__} {status}".strip(), is_certain=True) from None
    except (OSError, ValueError) as problem:
        is_certain = isinstance(problem, ValueError)
        raise NotMailed(f"mail server: {type(problem).__name__}", is_certain=is_certain) from None


def _connection(server: Server) -> EmailBackend:
    return EmailBackend(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        use_tls=server.uses_starttls,
        use_ssl=server.uses_tls,
        timeout=MAIL_SECONDS,
    )
