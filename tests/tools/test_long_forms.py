"""`make install-test` and `make upgrade-test`: which release, and what is said where they cannot be played."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT
from tests.installation import clean_root, processes
from tests.upgrade import releases
from tools import upgrade_test


def test_release_is_named_by_argument_then_by_file_then_by_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "last-release"
    monkeypatch.setattr(upgrade_test, "REVISION_FILE", named)
    assert upgrade_test.wanted_revision("") == releases.last_tag()

    named.write_text("v9.9.9\n")

    assert upgrade_test.wanted_revision("") == "v9.9.9"
    assert upgrade_test.wanted_revision("abc") == "abc"


@pytest.mark.parametrize(
    ("revision", "reason"),
    [("", "no release is tagged; name a commit"), ("v0.0.0-nowhere", "git knows no v0.0.0-nowhere here")],
)
def test_release_that_is_not_there_is_a_reason(revision: str, reason: str) -> None:
    assert upgrade_test.missing(revision).startswith(reason)


def test_upgrade_without_a_release_is_skipped_by_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.upgrade_test", "--from", "v0.0.0-nowhere"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (
        0,
        "upgrade-test SKIPPED: git knows no v0.0.0-nowhere here\n",
    )


def test_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_root.os, "geteuid", lambda: 0)
    monkeypatch.setattr(clean_root, "PROGRAMS", ("sh", "no-such-program"))

    assert clean_root.missing() == "no-such-program: not installed"


def test_only_root_may_make_a_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_root.os, "geteuid", lambda: 1000)

    assert clean_root.missing() == "it needs root"


def test_installation_plays_every_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that run all the time and those that a timer starts; an instance is one of its template."""
    folder = ROOT / "deploy" / "systemd"
    monkeypatch.setattr(processes, "UNITS", folder)
    played = [*processes.units(), *processes.units(oneshot=True)]

    names = {re.sub("@.*", "@", name) for name, _settings in played}
    assert names == {path.stem for path in folder.glob("*.service")}
    assert [name for name, _settings in processes.units(oneshot=True)] == ["fibre-dispatch-backup"]
