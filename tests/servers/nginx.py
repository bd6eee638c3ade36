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
from tests.servers.certificates import Authority
from tests.servers.ports import has_ipv6_loopback

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
    access_log {folder}/access.log;
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


def listening(*, tls: int, plain: int) -> dict[str, str]:
    """Where people.conf listens, and where it does here: on this machine only, at IPv6 where it has that."""
    ports = {"443 ssl": f"{tls} ssl", "80": str(plain)}
    return {
        **{f"listen {written};": f"listen 127.0.0.1:{ours};" for written, ours in ports.items()},
        **{f"listen [::]:{written};": _listen_at_ipv6(ours) for written, ours in ports.items()},
    }


def _listen_at_ipv6(port: str) -> str:
    return f"listen [::1]:{port};" if has_ipv6_loopback() else ""


def seller_server_names(folder: Path, authority: Authority, port: int) -> dict[str, str]:
    """What seller-server.conf names, and what it is here, with a certificate of this authority."""
    server = authority.issue("door")
    return {
        "/run/fibre-dispatch/seller-server.sock": f"{folder}/seller-server.sock",
        "/etc/fibre-dispatch/seller-server.pem": server.certificate,
        "/etc/fibre-dispatch/seller-server.key": server.key,
        "/etc/fibre-dispatch/ca.pem": authority.ca,
        "/etc/fibre-dispatch/seller-crl.conf": f"{folder}/seller-crl.conf",
        "listen 8443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "listen [::]:8443 ssl;": _listen_at_ipv6(f"{port} ssl"),
    }


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
