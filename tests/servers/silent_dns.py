"""A name server that never answers, in a network of its own: how long does a message wait for it?

`python -m tests.servers.silent_dns SECONDS` in that network prints what became of the message.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import django
from django.conf import settings

from seller_link.client import RetryLater, SellerClient

SERVER = "127.0.0.1"
NETWORK = ["unshare", "--map-root-user", "--mount", "--net"]
# libc itself gives up after ten; nobody may have waited for it, on a busy machine either
LIBC_SECONDS = 10
# of the whole process, which may start slowly while other work runs
PROCESS_SECONDS = 120


def can_run() -> bool:
    """Whether this machine has `unshare` and allows it, and has `ip` to set its network up."""
    try:
        return not subprocess.run([*NETWORK, "ip", "link", "set", "lo", "up"], check=False).returncode
    except FileNotFoundError:
        return False


def post(folder: Path, *, seconds: float) -> str:
    """Why a message was not delivered."""
    servers = folder / "resolv.conf"
    servers.write_text(f"nameserver {SERVER}\n", encoding="utf-8")
    command = 'mount --bind "$0" /etc/resolv.conf && ip link set lo up && exec "$@"'
    call = [sys.executable, "-m", "tests.servers.silent_dns", str(seconds)]
    files = {
        name: str(getattr(settings, name))
        for name in ("SELLER_CA", "SELLER_CLIENT_CERT", "SELLER_CLIENT_KEY")
    }
    done = subprocess.run(
        [*NETWORK, "sh", "-c", command, str(servers), *call],
        env={**os.environ, **files},
        timeout=PROCESS_SECONDS,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def _main(seconds: float) -> None:
    django.setup()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((SERVER, 53))
        client, started = SellerClient(), time.monotonic()
        outcome = client.post(
            endpoint="https://seller.example", operation="notifyJob", body={"messageId": "1"}, seconds=seconds
        )
        client.close()
        took = time.monotonic() - started
    if took > LIBC_SECONDS / 2:
        raise TimeoutError(f"it took {took:.1f} s")
    sys.stdout.write(str(outcome.reason) if isinstance(outcome, RetryLater) else str(outcome))


if __name__ == "__main__":
    _main(float(sys.argv[1]))
