"""`make install-test`: install.sh in a clean Debian root, from nothing to a job closed over mutual TLS.

1. A root by debootstrap, with nothing but Debian's smallest set of packages and this checkout.
2. install.sh, interrupted in the middle (kill -9) once everything has been downloaded.
3. In a network that reaches nothing: install.sh again to its end, the certificate signed, the commands of the units
   started, a job of the sandbox seller closed, install.sh once more without a change (tests/installation/inside.py).

Needs root and debootstrap. `--suite trixie` takes another release of Debian, `--keep` leaves the root where it is.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.installation.clean_root import CleanRoot, missing
from tests.installation.names import ANSWERS, FOLDER, HOST, SELLER
from tools.check_run import ROOT

INTERRUPTED_AT = "Database"
CLOSED = "no change by the second run"


def prepare(clean: CleanRoot) -> None:
    """What an administrator has before the installation: the code, the answers and the seller's authority."""
    clean.make()
    clean.put_code(FOLDER)
    seller = clean.root / SELLER.lstrip("/")
    subprocess.run([sys.executable, "-m", "demo.development_ca", str(seller)], cwd=ROOT, check=True)
    for name in ("partner.pem", "partner.key"):
        (seller / name).unlink()
    (clean.root / "root" / "answers").write_text(
        "".join(f"{name}={value}\n" for name, value in ANSWERS.items())
    )
    with (clean.root / "etc" / "hosts").open("a") as hosts:
        hosts.write(f"127.0.0.1 localhost {HOST}\n")


def interrupted_run(clean: CleanRoot, log: Path) -> None:
    """Until everything is downloaded; the rest of install.sh needs no network."""
    process = clean.start(f"{FOLDER}/deploy/install.sh", "--answers", "/root/answers", own_network=False)
    if not follow(process, log, until=INTERRUPTED_AT):
        raise SystemExit(f"install.sh ended with {process.returncode} before it was interrupted; read {log}")
    process.kill()
    process.wait()


def follow(process: "subprocess.Popen[str]", log: Path, *, until: str) -> bool:
    """Copies the output to the log and the screen; whether the words came."""
    assert process.stdout
    with log.open("a") as file:
        for line in process.stdout:
            file.write(line)
            file.flush()
            sys.stdout.write(f"  {line}")
            if until in line:
                return True
    process.wait()
    return False


def play(clean: CleanRoot) -> int:
    log = clean.folder / "install.log"
    log.unlink(missing_ok=True)
    print("1. a clean root", flush=True)
    prepare(clean)
    print("2. install.sh, interrupted", flush=True)
    interrupted_run(clean, log)
    print("3. install.sh again, a job, install.sh once more", flush=True)
    inside = ["sh", "-c", f"cd {FOLDER} && exec .venv/bin/python -m tests.installation.inside"]
    process = clean.start(*inside, own_network=True)
    has_closed = follow(process, log, until=CLOSED)
    process.kill()
    process.wait()
    return 0 if has_closed else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "install-test")
    parser.add_argument("--keep", action="store_true", help="leave the root where it is")
    wanted = parser.parse_args()
    if reason := missing():
        print(f"install-test SKIPPED: {reason}")
        return 0
    started = time.monotonic()
    clean = CleanRoot(wanted.folder.resolve(), wanted.suite)
    try:
        code = play(clean)
    finally:
        if not wanted.keep:
            clean.remove()
    print(
        f"install-test {'FAILED' if code else 'passed'} in {time.monotonic() - started:.0f} s, {wanted.suite}"
    )
    return code


if __name__ == "__main__":
    sys.exit(main())
