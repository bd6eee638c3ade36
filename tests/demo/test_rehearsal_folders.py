"""A rehearsal keeps away from production, from the settings round it, and from folders that it has not made."""

import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from demo.environment import DemoEnvironment, run_command
from demo.plan_rehearsal import day_results
from demo.ports import free_ports
from demo.process_manager import ProcessSpec
from demo.rehearsal.rehearsal_folders import MARK, empty_folder, mark_new_folder

COMMANDS = {
    "rehearse": (),
    "scenario": ("plain_install",),
    "rehearse_plan_day": ("greedy", "--engineers=1", "--jobs=1", "--seed=1"),
}
OUR_SETTINGS = "from config import settings; print(settings.DATABASES['default']['NAME'], settings.Q_BROKER)"


@pytest.mark.parametrize("name", COMMANDS)
def test_rehearsal_is_refused_in_production(name: str, tmp_path: Path, settings: Settings) -> None:
    settings.DEPLOYMENT = "production"
    folder = [] if name == "rehearse_plan_day" else [f"--folder={tmp_path / 'day'}"]

    with pytest.raises(CommandError, match="not allowed in production"):
        call_command(name, *COMMANDS[name], *folder)

    assert not (tmp_path / "day").exists()


def test_rehearsal_uses_neither_database_nor_broker_of_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = tmp_path / "database_url"
    url.write_text("postgresql://dispatch@127.0.0.1/production")
    monkeypatch.setenv("DATABASE_URL_FILE", str(url))
    monkeypatch.setenv("Q_BROKER", "redis")
    made = DemoEnvironment(folder=tmp_path, ports=free_ports(), apart=True)
    made.prepare()

    found = run_command(ProcessSpec("settings", [sys.executable, "-c", OUR_SETTINGS], made.our_environment()))

    database, broker = found.split()
    assert (Path(database).name, Path(database).parent.name, broker) == (
        "dispatch.sqlite3",
        tmp_path.name,
        "database",
    )


def test_demo_takes_a_setting_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "database_url"))

    made = DemoEnvironment(folder=tmp_path, ports=free_ports())

    assert "DATABASE_URL" not in made.our_environment()


@pytest.mark.parametrize(
    "command",
    [("rehearse",), ("rehearse", "--orders"), ("scenario", "plain_install"), ("demo", "--fresh")],
)
def test_folder_of_somebody_else_is_refused_and_kept(command: tuple[str, ...], tmp_path: Path) -> None:
    notes = tmp_path / "orders" / "notes"
    notes.parent.mkdir()
    notes.write_text("to keep")
    with pytest.raises(CommandError, match=r"was not made by a (rehearsal|demo).*Nothing was deleted"):
        call_command(*command, f"--folder={tmp_path}", stdout=StringIO())

    assert notes.read_text() == "to keep"


def test_day_planned_twice_keeps_the_folder_of_somebody_else(tmp_path: Path) -> None:
    notes = tmp_path / "greedy" / "notes"
    notes.parent.mkdir()
    notes.write_text("to keep")

    with pytest.raises(CommandError, match="was not made by a rehearsal"):
        day_results.play_both_ways(tmp_path, engineers=1, jobs=1, seed=1, say=lambda _text: None)

    assert notes.read_text() == "to keep"


def test_folder_of_an_earlier_rehearsal_is_emptied(tmp_path: Path) -> None:
    folder = tmp_path / "rehearse"
    mark_new_folder(folder)
    (folder / "plan").mkdir()

    empty_folder(folder)

    assert [path.name for path in folder.iterdir()] == [MARK]


def test_file_is_no_folder_for_a_rehearsal(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CommandError, match=r"--folder: .*/file cannot be used: Not a directory"):
        empty_folder(tmp_path / "file")
