"""Real S3 protocol servers: moto, and rclone, which checks signatures. Each lets another kind of wrong through."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

from tests.servers.ports import free_port

KEY_ID, SECRET, BUCKET = "AKIAFIBREDISPATCH001", "fibre-dispatch-secret-of-forty-characters", "evidence"
RCLONE = (
    Path(sys.prefix) / "lib" / f"python3.{sys.version_info.minor}" / "site-packages/rclone_api/bin/rclone"
)
START_SECONDS = 60
START_ATTEMPTS = 3
SERVERS = ("moto", "rclone")
# as a real bucket: pages of other places may put nothing until its own rules say so
ENVIRONMENT = {**os.environ, "MOTO_DISABLE_GLOBAL_CORS": "yes"}


@contextmanager
def running(name: str, folder: Path) -> Iterator[str]:
    """Its EVIDENCE_STORAGE_URL; boto3 finds the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."""
    with started(name, folder) as (url, _process):
        yield url


@contextmanager
def started(name: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same with its process."""
    port, process = _start(name, folder)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        _make_bucket(endpoint)
        yield f"s3://{BUCKET}?endpoint={endpoint}&region=us-east-1", process
    finally:
        process.kill()
        process.wait()


def _start(name: str, folder: Path) -> tuple[int, subprocess.Popen[bytes]]:
    """On another port when somebody else has taken this one between our look and its start."""
    log = folder.parent / f"{name}.log"
    for _ in range(START_ATTEMPTS):
        port = free_port()
        process = _spawn(name, folder, port=port, log=log)
        if _is_up(port, process):
            return port, process
        process.kill()
        process.wait()
    raise AssertionError(f"the object store does not start: {log.read_text()[-2000:]}")


def _spawn(name: str, folder: Path, *, port: int, log: Path) -> subprocess.Popen[bytes]:
    commands = {
        "moto": [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)],
        "rclone": [
            *(str(RCLONE), "serve", "s3", "--addr", f"127.0.0.1:{port}"),
            *("--auth-key", f"{KEY_ID},{SECRET}", "--config", "/dev/null", str(folder)),
        ],
    }
    with log.open("wb") as output:
        return subprocess.Popen(commands[name], stdout=output, stderr=output, env=ENVIRONMENT)


def _is_up(port: int, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.1)
    return False


def _make_bucket(endpoint: str) -> None:
    client(endpoint).create_bucket(Bucket=BUCKET)


def client(endpoint: str) -> Any:
    """Who owns the bucket."""
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=KEY_ID,
        aws_secret_access_key=SECRET,
    )
