"""Eight callers of BUYERA who ask for diagnostics by the clock; `python -m tests.bench.diagnostics_callers`.

A call's wait begins when it was due, so that an endpoint which makes a caller late cannot hide it.
"""

import argparse
import json
import ssl
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

from tests.bench.callers import FIRST_LINES_SECONDS, Count, moments, summary
from tests.bench.line import Line

CALLERS = 8
PATH = b"/sandbox/api2/requestServiceDiagnostics"
# fixed test services of BUYERA (seller_sandbox/README.md): Local and National Access
SERVICES = [
    f"FBR00{1_000_000 + 100 * situation + copy}" for situation in (20, 22, 23) for copy in range(1, 21)
]
MESSAGE = """<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:sandbox-seller:diagnostics">
<s:Body><requestServiceDiagnostics><apiVersion>1.1</apiVersion><buyerIdentifier>BUYERA</buyerIdentifier>
<sentAt>{sent_at}</sentAt><messageId>{message_id}</messageId><serviceId>{service}</serviceId>
</requestServiceDiagnostics></s:Body></s:Envelope>"""


def requests() -> Iterator[bytes]:
    for service in cycle(SERVICES):
        sent_at = datetime.now(UTC).isoformat(timespec="seconds")
        yield MESSAGE.format(sent_at=sent_at, message_id=uuid.uuid4(), service=service).encode()


def call(*, port: int, context: ssl.SSLContext, due: Iterator[float], count: Count) -> None:
    with Line(port=port, context=context, path=PATH, content_type=b"text/xml; charset=utf-8") as line:
        for started, content in zip(due, requests(), strict=False):
            status, answer = line.say(content)
            count.note(status=status, content=answer, seconds=time.monotonic() - started)


def asked(arguments: argparse.Namespace) -> list[Count]:
    """All callers in turns, for so long."""
    context = ssl.create_default_context(cafile=arguments.certs / "ca.pem")
    context.load_cert_chain(arguments.certs / "buyer-a.pem", arguments.certs / "buyer-a.key")
    begin, counts = time.monotonic() + FIRST_LINES_SECONDS, [Count() for _ in range(CALLERS)]
    until, every = begin + arguments.seconds, CALLERS / arguments.rate
    with ThreadPoolExecutor(CALLERS) as callers:
        waiting = [
            callers.submit(call, port=arguments.port, context=context, due=due, count=count)
            for number, count in enumerate(counts)
            for due in [moments(first=begin + every * number / CALLERS, every=every, until=until)]
        ]
        for process in waiting:
            process.result()
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certs", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=float, required=True, help="calls a second of all together")
    sys.stdout.write(json.dumps(summary(asked(parser.parse_args()))))


if __name__ == "__main__":
    main()
