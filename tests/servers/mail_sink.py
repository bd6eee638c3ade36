"""A mail server on this machine that keeps what it gets, or refuses each recipient with the next of `answers`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from socketserver import StreamRequestHandler, ThreadingTCPServer


@dataclass
class MailSink:
    """`answers`: lines such as `550 No`, then `250 OK`; an empty one ends the connection after the text has come."""

    port: int = 0
    got: list[Message] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


@contextmanager
def running() -> Iterator[MailSink]:
    sink = MailSink()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 sink")
            answer = "250 OK"
            while line := self.rfile.readline():
                command = line.decode().strip().upper()
                if command.startswith("RCPT"):
                    answer = sink.answers.pop(0) if sink.answers else "250 OK"
                    self._say(answer or "250 OK")
                elif command == "DATA":
                    self._say("354 Go on")
                    sink.got.append(message_from_bytes(self._text(), policy=default))
                    if not answer:
                        return
                    self._say("250 OK")
                else:
                    self._say("221 Bye" if command == "QUIT" else "250 OK")

        def _say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def _text(self) -> bytes:
            lines = []
            while (line := self.rfile.readline()).rstrip() != b".":
                lines.append(line)
            return b"".join(lines)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        sink.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield sink
        server.shutdown()
        thread.join()
