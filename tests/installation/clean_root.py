"""A Debian root made by debootstrap (systemd and little else), in which commands run as on a machine of their own.

Every command runs in namespaces of its own (mounts, processes, and the network unless it has to download): when it
ends, its processes end and its mounts are gone. The first root is packed, so that later runs only unpack it; packages
of apt and of uv are kept beside it.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.check_run import ROOT

PROGRAMS = ("debootstrap", "unshare", "chroot", "ip")
# where a package index is, what to trust, and through which proxy: as this machine's pip and uv have it
PASSED_ON = re.compile(r"PIP_\w+|UV_\w+|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|(https?|no)_proxy", re.IGNORECASE)
OUR_CERTIFICATES = "usr/local/share/index-certificates"
# services of packages are started by install.sh, not while they are unpacked
NO_START = "#!/bin/sh\nexit 101\n"
# /dev as a container has it; what apt and uv download is kept for the next run
ENTER = """
set -e
mount -t proc proc "$ROOT/proc"
mount -t tmpfs tmpfs "$ROOT/dev/shm"
mount -t tmpfs tmpfs "$ROOT/run"
mkdir -p "$ROOT/run/lock" "$ROOT/root/.cache/uv"
mount --bind "$CACHE/apt" "$ROOT/var/cache/apt/archives"
mount --bind "$CACHE/uv" "$ROOT/root/.cache/uv"
if [ "$OWN_NETWORK" = 1 ]; then ip link set lo up; fi
exec chroot "$ROOT" "$@"
"""


def missing() -> str:
    """Why no clean root can be made here, or nothing."""
    if os.geteuid() != 0:
        return "it needs root"
    lacking = [
        name for name in PROGRAMS if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    ]
    return f"{', '.join(lacking)}: not installed" if lacking else ""


def mirror() -> list[str]:
    """The address from which apt of this machine installs Debian's packages; none: debootstrap knows one."""
    found = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Component: main"],
        capture_output=True,
        text=True,
        check=False,
    )
    sites = [site for site in found.stdout.split() if site.endswith("/debian")]
    return sites[:1]


@dataclass(frozen=True)
class CleanRoot:
    """`folder` holds the root, and what is kept for the next run; `suite` is Debian's name of a release."""

    folder: Path
    suite: str

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def packed(self) -> Path:
        return self.folder / f"{self.suite}.tar"

    def make(self) -> None:
        """New and empty, whatever was there."""
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("apt/partial", "uv"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        if not self.packed.exists():
            options = ("--variant=minbase", "--include=systemd")
            _run("debootstrap", *options, self.suite, str(self.root), *mirror())
            _run("tar", "--create", "--file", f"{self.packed}.new", "--directory", str(self.root), ".")
            Path(f"{self.packed}.new").rename(self.packed)
        else:
            self.root.mkdir()
            _run("tar", "--extract", "--file", str(self.packed), "--directory", str(self.root))
        (self.root / "etc" / "resolv.conf").write_text(Path("/etc/resolv.conf").read_text())
        policy = self.root / "usr" / "sbin" / "policy-rc.d"
        policy.write_text(NO_START)
        policy.chmod(0o755)

    def put_code(self, folder: str) -> None:
        """The files of this checkout, committed or not, into a folder of the root."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        target = self.root / folder.lstrip("/")
        target.mkdir(parents=True)
        present = b"\0".join(
            name for name in listed.split(b"\0") if name and (ROOT / name.decode()).is_file()
        )
        packed = subprocess.run(
            ["tar", "--create", "--null", "--files-from=-", "--owner=0", "--group=0"],
            cwd=ROOT,
            input=present,
            capture_output=True,
            check=True,
        )
        subprocess.run(["tar", "--extract", "--directory", str(target)], input=packed.stdout, check=True)

    def start(self, *command: str, own_network: bool) -> "subprocess.Popen[str]":
        """The command in the root; with a network of its own it reaches nothing but itself, and nobody reaches it."""
        unshare = ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--propagation=private"]
        variables = {
            "ROOT": str(self.root),
            "CACHE": str(self.folder),
            "OWN_NETWORK": "1" if own_network else "0",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            **self._package_index(),
        }
        return subprocess.Popen(
            [
                *unshare,
                *(["--net"] if own_network else []),
                "nice",
                "-n",
                "10",
                "sh",
                "-c",
                ENTER,
                "enter",
                *command,
            ],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _package_index(self) -> dict[str, str]:
        """The variables that say where packages come from; a file that one of them names is copied."""
        found = {}
        for name, value in os.environ.items():
            if not PASSED_ON.fullmatch(name):
                continue
            found[name] = value
            if Path(value).is_file():
                copy = self.root / OUR_CERTIFICATES / Path(value).name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(value, copy)
                found[name] = f"/{copy.relative_to(self.root)}"
        return found

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


def _run(*command: str) -> None:
    subprocess.run(["nice", "-n", "10", *command], check=True, stdout=subprocess.DEVNULL)
