"""Inside the clean root, after an interrupted run of install.sh: `python -m tests.installation.inside`.

Runs install.sh to its end, signs the requests for certificates as authorities would, starts the commands of the units,
lets a job of the sandbox seller be assigned and closed, and runs install.sh once more, which must change nothing.
"""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from random import Random
from threading import Event

import django

os.environ.update({"DJANGO_SETTINGS_MODULE": "config.settings", "DEPLOYMENT": "demo"})
django.setup()
# what is started from here has the installation's, and fibre-dispatch refuses another one
del os.environ["DEPLOYMENT"]

from django.utils import timezone  # noqa: E402

from demo.rehearsal import job_scenarios  # noqa: E402
from demo.rehearsal.app_client import PhoneClient  # noqa: E402
from demo.rehearsal.sandbox_client import SandboxClient  # noqa: E402
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher  # noqa: E402
from demo.rehearsal.simulated_engineers import Order, SimulatedEngineer, SimulatedVisit  # noqa: E402
from tests.installation import people, snapshot  # noqa: E402
from tests.installation.names import FOLDER, HOST, SELLER  # noqa: E402
from tests.installation.processes import CONSOLE_PORT, UNITS, Processes  # noqa: E402

SETTINGS = "/etc/fibre-dispatch"
BACKUPS = Path("/var/lib/fibre-dispatch-backups")
PEOPLE_PORTS = (443, 8000, 8001, 8002, 8443)
# what docs/operating.md says who may read
MODES = {
    f"{SETTINGS}/environment": "-rw------- 0:0",
    f"{SETTINGS}/answers": "-rw------- 0:0",
    f"{SETTINGS}/people.key": "-rw------- 0:0",
}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def install() -> str:
    """Answers are those of the first run. What it prints."""
    command = [f"{FOLDER}/deploy/install.sh"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    say(done.stdout)
    assert done.returncode == 0, f"install.sh ended with {done.returncode}"
    return done.stdout


def sign_requests() -> None:
    """What the seller's team and a public authority do with the requests; here one authority is both."""
    for name in ("partner", "people"):
        ca = ["-CA", f"{SELLER}/ca.pem", "-CAkey", f"{SELLER}/ca.key", "-CAcreateserial"]
        out = ["-in", f"{SETTINGS}/{name}.csr", "-out", f"{SETTINGS}/{name}.pem", "-days", "365"]
        subprocess.run(["openssl", "x509", "-req", *ca, *out, "-copy_extensions", "copy"], check=True)


def close_a_job(dispatcher: SimulatedDispatcher, phone: PhoneClient) -> str:
    """From the seller's pack to its record of our closeJob; how it ended there."""
    seller = SandboxClient(f"http://127.0.0.1:{CONSOLE_PORT}")
    seller.answer_scans_after(seconds=1)
    fate = job_scenarios.plan_scenarios(1)[0]
    tomorrow = timezone.localdate() + timedelta(days=1)
    (seller_job_id,) = seller.send_packs(count=1, day=tomorrow, seed=1, types=[fate.job_type.value])
    processes.wait(lambda: seller.jobs()[0].provider_job_id, what="we accepted the job pack")
    job_id = seller.jobs()[0].provider_job_id
    assert dispatcher.assign(job_id), "nobody is free for the job"
    order = Order(seller_job_id, job_id, fate)
    engineer = SimulatedEngineer(
        "aled", phone, seller, {job_id: order}, lambda _order: None, Event(), Random(1)
    )
    SimulatedVisit(engineer, order).run()
    processes.wait(
        lambda: seller.is_at_rest() and seller.jobs()[0].closure, what="the seller has our closeJob"
    )
    found = seller.jobs()[0]
    assert (found.closure, found.breaches) == (fate.outcome.code, 0), found
    return found.closure


def first_installation() -> str:
    printed = install()
    assert "partner.csr to the seller's team" in printed
    assert "people.csr signed by a public authority" in printed
    sign_requests()
    assert ".csr" not in install()
    for path, mode in MODES.items():
        found = " ".join(snapshot.files()[path].split()[:2])
        assert found == mode, f"{path} is {found}"
    return printed


def verify_units() -> None:
    """As systemd would read them if it ran here."""
    names = [str(path) for path in sorted(UNITS.glob("fibre-dispatch*")) if "@." not in path.name]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def back_up() -> None:
    """As its timer does each night, while everything runs: one more complete backup."""
    before = {*BACKUPS.glob("2*Z")}
    names = processes.run_oneshot_units()
    made = {*BACKUPS.glob("2*Z")} - before
    assert (names, len(made)) == (["fibre-dispatch-backup"], 1), f"{names} made {made}"
    say(f"{names[0]} made {made.pop().name}")


def second_run() -> list[str]:
    before, rows = snapshot.files(), snapshot.rows()
    printed = install()
    assert "wrote " not in printed
    assert "No problems found." in printed
    assert "Settle what" not in printed
    return [*snapshot.differences(before, snapshot.files()), *([] if rows == snapshot.rows() else ["rows"])]


processes = Processes()


def main() -> int:
    processes.start_seller(sys.executable, FOLDER)
    printed = first_installation()
    verify_units()
    started = processes.start_units()
    processes.wait_for_ports(*PEOPLE_PORTS)
    say(f"started: {', '.join(started)}")
    dispatcher = SimulatedDispatcher(people.supervisor_signs_in(printed))
    closure = close_a_job(dispatcher, PhoneClient(people.engineer_signs_in()))
    say(f"a job of the seller was closed {closure} by https://{HOST}")
    back_up()
    changed = second_run()
    say("\n".join(changed) or "no change by the second run")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
