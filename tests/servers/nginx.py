"""A real nginx with one of our files in deploy/nginx, on ports and paths of a test's own."""

import getpass
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.environment import wait_until
from demo.ports import is_listening
from tests.conventions.sources import ROOT

PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
AROUND = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
worker_rlimit_nofile {files};
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/{name};
}}
"""


@contextmanager
def short_folder() -> Iterator[Path]:
    """A Unix socket's path may have about 100 characters, and pytest's folders are longer."""
    with tempfile.TemporaryDirectory(prefix="nginx-") as name:
        yield Path(name)


@contextmanager
def running(
    name: str, folder: Path, *, port: int, here: dict[str, str], connections: int = 256
) -> Iterator[None]:
    """deploy/nginx/`name` as it stands but for `here`: what is written there → what it is in this test."""
    text = (ROOT / "deploy" / "nginx" / name).read_text()
    for written, ours in here.items():
        assert written in text, written
        text = text.replace(written, ours)
    (folder / name).write_text(text)
    around = AROUND.format(
        folder=folder, user=getpass.getuser(), name=name, connections=connections, files=4 * connections
    )
    (folder / "nginx.conf").write_text(around)
    command = [str(PROGRAM), "-c", str(folder / "nginx.conf"), "-p", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        if not wait_until(lambda: is_listening(port), seconds=10):
            process.kill()
            raise RuntimeError(str(process.communicate()[1]))
        yield
    finally:
        process.terminate()
        process.communicate(timeout=10)
