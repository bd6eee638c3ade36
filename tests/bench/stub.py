"""The fastest seller that Python can be: mutual TLS, keep-alive, the documented answer and nothing else.

`python -m tests.bench.stub --port N --certs DIR`; every line on its input is answered with a line of JSON:
how many requests came since the last line, and when each came (time.monotonic) with its message id.
"""

import argparse
import asyncio
import json
import re
import ssl
import sys
from pathlib import Path
from time import monotonic

LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
MESSAGE_ID = re.compile(rb'"messageId": ?"([^"]+)"')


class Count:
    """What came since somebody last asked."""

    def __init__(self) -> None:
        self.arrivals: list[tuple[str, float]] = []

    def one_more(self, message_id: str) -> None:
        self.arrivals.append((message_id, monotonic()))

    def report(self) -> str:
        arrivals, self.arrivals = self.arrivals, []
        return json.dumps({"requests": len(arrivals), "arrivals": arrivals})


class Stub(asyncio.Protocol):
    def __init__(self, count: Count) -> None:
        self.count, self.data = count, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, gap, body = self.data.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not gap or not length or len(body) < int(length[1]):
            return
        self.data = b""
        found = MESSAGE_ID.search(body)
        message_id = found[1] if found else b""
        self.count.one_more(message_id.decode())
        self._answer(message_id)

    def _answer(self, message_id: bytes) -> None:
        answer = b'{"messageId": "%s"}' % message_id
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        transport = self.transport
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(head % len(answer) + answer)


async def serve(port: int, certs: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certs / "seller.pem", certs / "seller.key")
    context.load_verify_locations(certs / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    count, loop = Count(), asyncio.get_running_loop()
    await loop.create_server(lambda: Stub(count), "127.0.0.1", port, ssl=context)
    while await loop.run_in_executor(None, sys.stdin.readline):
        sys.stdout.write(count.report() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certs", type=Path, required=True)
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.port, arguments.certs))
