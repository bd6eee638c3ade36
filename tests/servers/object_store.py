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
START_SECONDS = 30
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
    port = free_port()
    commands = {
        "moto": [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)],
        "rclone": [
            *(str(RCLONE), "serve", "s3", "--addr", f"127.0.0.1:{port}"),
            *("--auth-key", f"{KEY_ID},{SECRET}", "--config", "/dev/null", str(folder)),
        ],
    }
    with (folder.parent / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(commands[name], stdout=log, stderr=log, env=ENVIRONMENT)
    try:
        _wait_for(port, process)
        endpoint = f"http://127.0.0.1:{port}"
        _make_bucket(endpoint)
        yield f"s3://{BUCKET}?endpoint={endpoint}&region=us-east-1", process
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the object store ended at once"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the object store did not answer")


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
