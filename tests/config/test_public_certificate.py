"""deploy/public_certificate.sh: what certbot calls with each certificate that it has got."""

import grp
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="certbot calls it as root")
HOOK = "deploy/public_certificate.sh"
# Debian has it; the service's own group is on no machine of tests
GROUP = "nogroup"


def installed(folder: Path) -> Path:
    """The script of a version whose settings are in the test's folder, with a service manager that writes its calls."""
    (folder / "settings").mkdir()
    (folder / "programs").mkdir()
    shutil.copytree(ROOT / "deploy", folder / "version" / "deploy")
    for name, written, ours in (
        ("install/machine.sh", "/etc/fibre-dispatch", str(folder / "settings")),
        ("public_certificate.sh", "root:fibre-dispatch", f"root:{GROUP}"),
    ):
        script = folder / "version" / "deploy" / name
        script.write_text(script.read_text().replace(written, ours))
    for name in ("nginx", "systemctl", "service"):
        program = folder / "programs" / name
        program.write_text(f'#!/bin/bash\necho "{name} $*" >>{folder}/calls\n')
        program.chmod(0o755)
    return folder / "version" / HOOK


def test_certificate_and_key_are_installed_for_their_readers_and_nginx_takes_them(tmp_path: Path) -> None:
    hook, lineage = installed(tmp_path), tmp_path / "live"
    lineage.mkdir(mode=0o700)
    for name in ("fullchain.pem", "privkey.pem"):
        (lineage / name).write_text(name)
    variables = {"PATH": f"{tmp_path}/programs:{os.environ['PATH']}", "RENEWED_LINEAGE": str(lineage)}

    subprocess.run([hook], cwd="/", env=variables, umask=0o077, check=True)

    settings = tmp_path / "settings"
    found = {
        path.name: (path.read_text(), path.stat().st_gid, oct(path.stat().st_mode)[-3:])
        for path in settings.iterdir()
    }
    assert found == {
        "people.pem": ("fullchain.pem", grp.getgrnam(GROUP).gr_gid, "640"),
        "people.key": ("privkey.pem", 0, "600"),
    }
    checked, reloaded = (tmp_path / "calls").read_text().splitlines()
    assert checked == "nginx -t -q"
    assert reloaded in ("systemctl reload nginx", "service nginx reload")


def test_without_certbot_it_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run([installed(tmp_path)], capture_output=True, text=True, check=False)

    assert (done.returncode, list((tmp_path / "settings").iterdir())) == (1, [])
    assert "certbot" in done.stderr


def test_handbook_calls_it_for_the_folder_that_nginx_serves() -> None:
    command = (ROOT / "docs" / "operating.md").read_text().partition("certbot certonly --webroot")[2]
    folder = re.findall(r"--webroot-path (\S+)", command)[0]

    assert f"--deploy-hook /opt/fibre-dispatch/{HOOK}" in command.partition("```")[0]
    assert f"root {folder};" in (ROOT / "deploy" / "nginx" / "people.conf").read_text()
    assert f"make_folder {folder} root:root 0755" in (ROOT / "deploy" / "install" / "machine.sh").read_text()
