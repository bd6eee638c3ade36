"""All processes of a production machine: nginx, two web processes, stream, worker, relay, seller server, PostgreSQL,
Redis where it runs, and an S3 server; the seller answers at once."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from demo.environment import BASE_DIR, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager
from tests.bench import drain
from tests.bench.inbound import postgresql_database
from tests.faults.databases import SERVER
from tests.servers import nginx, object_store
from tests.servers.certificates import Authority
from tests.servers.ports import free_port
from tests.servers.system import Furnished

START_SECONDS = 90
REDIS_PORT = 6379
# many telephones behind one proxy, each with a connection of its own
CONNECTIONS = 8192


@dataclass(frozen=True)
class People:
    """A cookie of each, and our id of a job → the seller's."""

    engineers: list[dict[str, str]] = field(default_factory=list)
    dispatchers: list[dict[str, str]] = field(default_factory=list)
    jobs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Installation:
    """`url` is the proxy's, `ca` to be trusted; `demo` knows ports, certificates and the environment."""

    url: str
    ca: str
    demo: Furnished

    def grow(self, people: People, *, engineers: int, dispatchers: int, jobs_each: int) -> People:
        """`people` of an earlier call, and so many new ones that the company has this size (tests.load.people)."""
        there = (len(people.engineers), len(people.dispatchers))
        numbers = map(str, (engineers, dispatchers, jobs_each, *there))
        command = [sys.executable, "-m", "tests.load.people", *numbers]
        done = subprocess.run(command, cwd=BASE_DIR, env=self.environment, stdout=subprocess.PIPE, check=True)
        new = People(**json.loads(done.stdout.splitlines()[-1]))
        return People(
            people.engineers + new.engineers, people.dispatchers + new.dispatchers, people.jobs | new.jobs
        )

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.demo.our_environment()}


@contextmanager
def running(folder: Path) -> Iterator[Installation]:
    """Started, migrated and listening; all ends with it. Raises RuntimeError with the ports that stay silent."""
    with ExitStack() as stack:
        ports, second_web, tls = free_ports(), free_port(), free_port()
        bucket = stack.enter_context(object_store.running("rclone", folder / "bucket"))
        database = stack.enter_context(postgresql_database(SERVER))
        demo = Furnished(
            folder=folder,
            ports=ports,
            with_sandbox=False,
            apart=True,
            database_url=database,
            settings=_settings(
                bucket, url=f"https://127.0.0.1:{tls}", seller=f"https://127.0.0.1:{ports.sandbox_a}"
            ),
        )
        demo.prepare()
        migrate = demo.manage("migrate", "--verbosity", "0")
        environment = {**os.environ, **migrate.environment}
        subprocess.run(migrate.command, cwd=BASE_DIR, env=environment, check=True)
        stack.enter_context(drain.stub(demo))
        children = demo.our_children()
        other = replace(demo.manage("web", "--port", str(second_web)), name="people_2")
        manager = ProcessManager(folder=BASE_DIR, logs=folder / "logs", say=lambda _line: None)
        manager.start([*children, other])
        stack.callback(manager.stop)
        wanted = (ports.people, second_web, ports.board_stream, ports.seller_server)
        if not wait_until(lambda: all(map(is_listening, wanted)), seconds=START_SECONDS):
            silent = [port for port in wanted if not is_listening(port)]
            raise RuntimeError(f"not answering: {silent}; logs in {folder / 'logs'}")
        ca = stack.enter_context(
            _proxy(folder, tls=tls, web=(ports.people, second_web), stream=ports.board_stream)
        )
        yield Installation(f"https://127.0.0.1:{tls}", ca, demo)


def _settings(bucket: str, *, url: str, seller: str) -> dict[str, str]:
    redis = {"Q_BROKER": "redis", "REDIS_URL": f"redis://127.0.0.1:{REDIS_PORT}/9"}
    keys = {"AWS_ACCESS_KEY_ID": object_store.KEY_ID, "AWS_SECRET_ACCESS_KEY": object_store.SECRET}
    return {
        "EVIDENCE_STORAGE_URL": bucket,
        "PUBLIC_URL": url,
        "SELLER_ENDPOINTS": seller,
        "LOG_LEVEL": "WARNING",
        **keys,
        **(redis if is_listening(REDIS_PORT) else {}),
    }


@contextmanager
def _proxy(folder: Path, *, tls: int, web: tuple[int, int], stream: int) -> Iterator[str]:
    """deploy/nginx/people.conf before them; the file of the authority to trust."""
    authority = Authority(folder / "proxy")
    identity = authority.issue("people", hosts=("127.0.0.1",))
    here = {
        "/etc/fibre-dispatch/people.pem": identity.certificate,
        "/etc/fibre-dispatch/people.key": identity.key,
        **nginx.listening(tls=tls, plain=free_port()),
        "127.0.0.1:8000": f"127.0.0.1:{web[0]}",
        "127.0.0.1:8001": f"127.0.0.1:{web[1]}",
        "127.0.0.1:8002": f"127.0.0.1:{stream}",
    }
    with nginx.short_folder() as own:
        here["/var/log/nginx"] = str(own)
        with nginx.running("people.conf", own, port=tls, here=here, connections=CONNECTIONS):
            yield authority.ca
