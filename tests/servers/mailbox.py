"""A mail server on this machine that keeps what it gets, or refuses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.servers.certificates import Identity
from tests.servers.ports import free_port


@dataclass
class Mailbox:
    """`got`: the mails; `signed_in`: user names; the next answers to a recipient come from `answers`, then 250."""

    port: int = 0
    got: list[Message] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        self.got.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"

    def sign_in(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"right")


@contextmanager
def running(identity: Identity | None = None) -> Iterator[Mailbox]:
    """With an identity: STARTTLS, and nobody sends without a password."""
    mailbox = Mailbox(port=free_port())
    options: dict[str, Any] = {}
    if identity:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(identity.certificate, identity.key)
        options = {
            "tls_context": context,
            "require_starttls": True,
            "auth_required": True,
            "authenticator": mailbox.sign_in,
        }
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port, **options)
    controller.start()
    yield mailbox
    controller.stop()
