"""Sixteen sellers at once, in a process of their own: `python -m tests.bench.callers` prints what they counted."""

import argparse
import http.client
import json
import ssl
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.seller_link.wire import message

CALLERS = 16


@dataclass
class Count:
    answers: int = 0
    refusals: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def packs() -> Iterator[bytes]:
    """The example pack under fresh ids, without building it anew each time."""
    text = json.dumps(message("createJob", messageId="MESSAGE", sellerJobId="JOB"))
    while True:
        fresh = str(uuid.uuid4())
        yield text.replace("MESSAGE", fresh).replace('"JOB"', f'"{fresh}"').encode()


def call(*, port: int, context: ssl.SSLContext, until: float, count: Count) -> None:
    line = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
    for pack in packs():
        started = time.monotonic()
        if started >= until:
            break
        line.request("POST", "/seller/createJob", pack, {"Content-Type": "application/json"})
        answer = line.getresponse()
        said = answer.read()
        count.seconds.append(time.monotonic() - started)
        if answer.status == 200:
            count.answers += 1
        else:
            count.refusals.append(said.decode()[:300])
    line.close()


def context_for(certs: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certs / "ca.pem")
    context.load_cert_chain(certs / "seller.pem", certs / "seller.key")
    return context


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certs", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    context, until = context_for(given.certs), time.monotonic() + given.seconds
    counts = [Count() for _ in range(CALLERS)]
    threads = [
        threading.Thread(
            target=call, kwargs={"port": given.port, "context": context, "until": until, "count": count}
        )
        for count in counts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    waits = sorted(seconds for count in counts for seconds in count.seconds)
    found = {
        "answers": sum(count.answers for count in counts),
        "refusals": [text for count in counts for text in count.refusals][:3],
        "p99_milliseconds": round(waits[int(len(waits) * 0.99)] * 1000, 1) if waits else None,
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
