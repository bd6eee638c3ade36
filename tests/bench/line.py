"""One kept line to the server, read by hand: a client library would take half of the machine's time for itself."""

import socket
import ssl

HEAD = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
SECONDS = 30
AT_ONCE = 65_536


class Line:
    """Connected and past its handshake; every message goes to one path. A context manager, for one thread."""

    def __init__(
        self,
        *,
        port: int,
        context: ssl.SSLContext,
        path: bytes = b"/seller/createJob",
        content_type: bytes = b"application/json",
    ) -> None:
        self._path, self._content_type = path, content_type
        plain = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = context.wrap_socket(plain, server_hostname="127.0.0.1")

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def say(self, pack: bytes) -> tuple[int, bytes]:
        """Status and body of the answer, read whole. Raises ConnectionError when it ends early."""
        self._socket.sendall(HEAD % (self._path, self._content_type, len(pack)) + pack)
        response = self._more()
        while b"\r\n\r\n" not in response:
            response += self._more()
        head, _gap, body = response.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += self._more()
        return int(head.split(b" ", 2)[1]), body

    def _more(self) -> bytes:
        part = self._socket.recv(AT_ONCE)
        if not part:
            raise ConnectionError("the door ended the line before the answer was whole")
        return part
