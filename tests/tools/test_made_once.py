"""What the workers of a run share is made by one of them, whole or not at all."""

from pathlib import Path

import pytest

from tests.made_once import VARIABLE, made_once, shared_folder
from tests.together import at_once


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return []


def test_two_at_once_get_what_one_of_them_made(calls: list[Path], tmp_path: Path) -> None:
    def make(folder: Path) -> None:
        calls.append(folder)
        (folder / "file").write_text(str(len(calls)))

    def ask() -> None:
        assert (made_once("folder", make) / "file").read_text() == "1"

    at_once(ask, ask)

    assert len(calls) == 1
    assert made_once("folder", make) == tmp_path / "folder"


def test_next_one_tries_again_where_it_failed(calls: list[Path]) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        made_once("folder", fail)

    assert [*made_once("folder", calls.append).iterdir()] == []
    assert len(calls) == 1


def test_folder_of_a_run_is_gone_at_its_end_and_an_outer_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)

    with shared_folder() as outer:
        with shared_folder() as inner:
            assert inner == outer
        assert outer.is_dir()

    assert not outer.exists()
