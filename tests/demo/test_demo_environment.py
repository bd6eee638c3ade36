"""What a demo prints before anything starts, and whom it loads."""

import gzip
import re
import socket
import stat
from collections import Counter
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from demo.environment import BASE_DIR, DemoEnvironment
from demo.ports import Ports, describe, free_ports
from engineers.models import Engineer, Role, User
from engineers.shifts import working_spans


def demo(folder: Path, *, ports: Ports | None = None, with_sandbox: bool = True) -> DemoEnvironment:
    return DemoEnvironment(folder=folder, ports=ports or free_ports(), with_sandbox=with_sandbox, apart=True)


def test_taken_port_is_named_before_anything_is_made(tmp_path: Path) -> None:
    ports = free_ports()
    with socket.create_server(("127.0.0.1", ports.seller_server)), pytest.raises(CommandError) as refused:
        call_command(
            "demo",
            folder=tmp_path / "demo",
            **{f"{name}_port": port for name, port in ports.named().items()},
        )

    assert str(refused.value).startswith(
        f"Taken on 127.0.0.1: {ports.seller_server} (the seller server). Nothing was started."
    )
    assert not (tmp_path / "demo").exists()


def test_all_taken_ports_are_named_at_once(tmp_path: Path) -> None:
    ports = free_ports()
    with (
        socket.create_server(("127.0.0.1", ports.people)),
        socket.create_server(("127.0.0.1", ports.console)),
    ):
        assert demo(tmp_path, ports=ports).taken_ports() == ["people", "console"]


def test_sandbox_ports_may_be_taken_when_it_does_not_run(tmp_path: Path) -> None:
    ports = free_ports()
    with socket.create_server(("127.0.0.1", ports.console)):
        assert demo(tmp_path, ports=ports, with_sandbox=False).taken_ports() == []


def test_ports_are_described_with_their_purpose() -> None:
    assert describe(["people", "sandbox_b"], Ports(8000, 8002, 8443, 9443, 9444, 9000, 9601, 9602)) == (
        "8000 (board and phone), 9444 (sandbox seller, endpoint B)"
    )


def test_secrets_stay_from_start_to_start_and_are_private(tmp_path: Path) -> None:
    first = demo(tmp_path)
    first.prepare()
    secrets = [(tmp_path / name).read_text() for name in ("secret_key", "password")]

    demo(tmp_path).prepare()

    assert [(tmp_path / name).read_text() for name in ("secret_key", "password")] == secrets
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("secret_key", "password")} == {0o600}


def test_environment_overrides_the_demo_s_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELLER_ENDPOINTS", "https://seller.example.org")

    made = DemoEnvironment(folder=tmp_path, ports=free_ports(), with_sandbox=False)

    assert made.our_environment()["SELLER_ENDPOINTS"] == "https://seller.example.org"
    assert made.our_environment()["SELLER_CA"] == str(tmp_path / "certs" / "ca.pem")


def test_rehearsal_stays_apart_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@example.org/elses")

    assert demo(tmp_path).our_environment()["DATABASE_URL"] == f"sqlite:///{tmp_path}/dispatch.sqlite3"


def test_every_process_of_the_handbook_is_started(tmp_path: Path) -> None:
    page = (BASE_DIR / "docs" / "operating.md").read_text()
    table = page.partition("## What runs\n")[2].partition("\n\nAll processes")[0]
    named = set(re.findall(r"\| `manage\.py (\w+)", table))

    started = [child.command[2] for child in demo(tmp_path).our_children()]

    assert len(named) == 6
    assert sorted(started) == sorted(named)


def test_sandbox_never_starts_with_our_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")

    settings = {
        child.environment["DJANGO_SETTINGS_MODULE"]
        for child in demo(tmp_path).children()
        if child.name.startswith("sandbox")
    }

    assert settings == {"seller_sandbox.settings"}


def load_people(password_file: Path) -> None:
    call_command("demo_people", password_file=password_file, stdout=StringIO())


@pytest.mark.django_db
def test_demo_people_are_loaded_once(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("amber-kite-1234\n")

    load_people(password)
    load_people(password)

    assert Counter(User.objects.values_list("role", flat=True)) == {
        Role.SUPERVISOR: 1,
        Role.DISPATCHER: 2,
        Role.ENGINEER: 14,
    }
    assert all(user.check_password("amber-kite-1234") for user in User.objects.all())


@pytest.mark.django_db
def test_every_demo_engineer_works_on_every_day_of_the_week(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("amber-kite-1234")
    load_people(tmp_path / "password")
    monday = date(2026, 11, 23)

    idle = [
        (engineer.name, day)
        for engineer in Engineer.objects.prefetch_related("shifts")
        for day in (monday + timedelta(days=offset) for offset in range(7))
        if not working_spans(shifts=engineer.shifts.all(), absences=[], day=day)
    ]

    assert idle == []


@pytest.mark.django_db
def test_demo_people_do_not_belong_in_production(tmp_path: Path, settings: object) -> None:
    settings.DEPLOYMENT = "production"  # type: ignore[attr-defined]
    with pytest.raises(CommandError):
        load_people(tmp_path / "password")

    assert User.objects.count() == 0


@pytest.mark.parametrize("name", ["built/js/phone/send_queue.js", "vendor/zxing/zxing_reader.wasm"])
def test_demo_sends_static_files_compressed(name: str) -> None:
    whole = (BASE_DIR / "static" / name).read_bytes()

    answer = Client().get(f"/static/{name}", headers={"Accept-Encoding": "gzip, br"})
    plain = Client().get(f"/static/{name}")

    sent = b"".join(answer.streaming_content)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(sent) == whole == b"".join(plain.streaming_content)
    assert len(sent) < 0.6 * len(whole)


@pytest.mark.parametrize(("with_sandbox", "switch"), [(True, "1"), (False, "0")])
def test_line_checks_go_to_the_sandbox(tmp_path: Path, *, with_sandbox: bool, switch: str) -> None:
    made = demo(tmp_path, with_sandbox=with_sandbox)

    ours = made.our_environment()
    assert ours["LINE_CHECK"] == switch
    assert ours["LINE_CHECK_PATH"] == f"/{made.sandbox_environment()['SANDBOX_FAULT_BASE_PATHS']}"
