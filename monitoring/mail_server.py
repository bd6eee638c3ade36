"""One mail through a mail server."""

import smtplib
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol

from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

from monitoring.coded_texts import CodedText, coded_text

# of one step, and of all together: a task of the worker's ends with more time than that (WORKER_TASK_SECONDS)
MAIL_SECONDS, WHOLE_MAIL_SECONDS = 8, 12
PERMANENT_CODE = 500


class NotMailed(OSError):
    """`reason` says why, without what the server said, which may repeat anything. `is_certain`: it was not taken;
    `is_permanent`: this recipient never will be."""

    def __init__(self, reason: CodedText, *, is_certain: bool, is_permanent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
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
    mail = EmailMessage(subject=subject, body=text, from_email=server.sender, to=[to], headers=headers)
    connection = _connected(server)
    try:
        connection.send_messages([mail])
    except smtplib.SMTPRecipientsRefused as problem:
        code = min(code for code, _text in problem.recipients.values())
        raise NotMailed(
            _reason(problem, code), is_certain=True, is_permanent=code >= PERMANENT_CODE
        ) from None
    except (OSError, ValueError) as problem:
        is_certain = isinstance(problem, smtplib.SMTPResponseException | ValueError)
        raise NotMailed(_reason(problem), is_certain=is_certain) from None
    finally:
        # what the server has taken is sent, however it says good-bye
        with suppress(OSError):
            connection.close()


def _connected(server: Server) -> EmailBackend:
    """Raises NotMailed: until we are signed in nothing was handed over."""
    connection = _connection(server)
    try:
        connection.open()
    except (OSError, ValueError) as problem:
        raise NotMailed(_reason(problem), is_certain=True) from None
    return connection


def _reason(problem: Exception, code: object = "") -> CodedText:
    detail = f"{type(problem).__name__} {code or getattr(problem, 'smtp_code', '')}".strip()
    return coded_text("mail_not_confirmed", detail=detail)


class _Bounded(smtplib.SMTP):
    """A server that is slow before each of its replies ends like one that does not answer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._ends_at = monotonic() + WHOLE_MAIL_SECONDS
        super().__init__(*args, **kwargs)

    def getreply(self) -> tuple[int, bytes]:
        left = self._ends_at - monotonic()
        if left <= 0:
            self.close()
            raise smtplib.SMTPServerDisconnected("took too long")
        if self.sock is not None:
            self.sock.settimeout(min(left, MAIL_SECONDS))
        return super().getreply()


class _BoundedTls(_Bounded, smtplib.SMTP_SSL):
    pass


class _Backend(EmailBackend):
    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _BoundedTls if self.use_ssl else _Bounded


def _connection(server: Server) -> EmailBackend:
    return _Backend(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        use_tls=server.uses_starttls,
        use_ssl=server.uses_tls,
        timeout=MAIL_SECONDS,
    )
