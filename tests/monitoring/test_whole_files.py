"""A file that somebody asked for is whole or not there, whatever else lies in its folder."""

from pathlib import Path

import pytest

from monitoring.whole_files import whole_file


def test_file_that_waits_under_the_old_name_of_the_unfinished_one_is_left_alone(tmp_path: Path) -> None:
    waiting = tmp_path / "jobs.csv.unfinished"
    waiting.write_text("somebody else's")

    with whole_file(tmp_path / "jobs.csv") as file:
        file.write(b"rows")

    assert waiting.read_text() == "somebody else's"
    assert (tmp_path / "jobs.csv").read_bytes() == b"rows"
    assert (tmp_path / "jobs.csv").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.csv", "jobs.csv.unfinished"]


def test_nothing_is_left_of_what_was_not_finished(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), whole_file(tmp_path / "jobs.csv") as file:
        file.write(b"half")
        raise RuntimeError

    assert list(tmp_path.iterdir()) == []


def test_long_name_of_wide_characters_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 120)

    with whole_file(path) as file:
        file.write(b"rows")

    assert path.read_bytes() == b"rows"
