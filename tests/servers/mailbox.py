"""A mail server on this machine that keeps what it gets, or refuses it."""

import asyncio
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

from config.message_channels import MailServer
from tests.servers.certificates import Identity
from tests.servers.ports import free_port


@dataclass
class Mailbox:
    """`got`: the mails; `signed_in`: user names; the next answers to a recipient come from `answers`, then 250. An
    empty one ends the connection after the text has come. `pause`: seconds before its
    answers to a recipient and to a text."""

    port: int = 0
    got: list[Message] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    is_hanging_up: bool = False
    pause: float = 0

    @property
    def server(self) -> MailServer:
        """As the settings have it."""
        return server_at(self.port)

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        await asyncio.sleep(self.pause)
        answer = self.answers.pop(0) if self.answers else "250 OK"
        self.is_hanging_up, answer = not answer, answer or "250 OK"
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        await asyncio.sleep(self.pause)
        self.got.append(message_from_bytes(envelope.content, policy=default))
        if self.is_hanging_up:
            server.transport.abort()
        return "250 OK"

    def sign_in(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"right")


def server_at(port: int) -> MailServer:
    """Without a password and without TLS."""
    sender = "dispatch@dispatch.example.org"
    return MailServer("127.0.0.1", port, "", "", uses_starttls=False, uses_tls=False, sender=sender)


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
