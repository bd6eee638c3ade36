"""One upgrade and its roll-back under load: `python -m tests.upgrade.run REVISION DATABASE_URL FOLDER`."""

import signal
import sys
import time
from pathlib import Path

import django

django.setup()

from tests.upgrade import load, releases, side_by_side  # noqa: E402
from tests.upgrade.load import Load  # noqa: E402
from tests.upgrade.side_by_side import SideBySide  # noqa: E402

PHASE_SECONDS = 600


def say(line: str) -> None:
    sys.stdout.write(f"  {line}\n")
    sys.stdout.flush()


def play(revision: str, database_url: str, folder: Path) -> list[str]:
    """What went wrong, as sentences."""
    old, new = releases.unpack(revision, folder / "release"), releases.ours()
    with side_by_side.prepared(folder / "system", database_url, old, new, say) as (both, work, log):
        for process in side_by_side.PROCESSES:
            both.start(old, process)
        both.start_seller()
        work.start()
        change_versions(both, work)
        work.stop()
        served = load.served_by(log, both.web_ports)
        wrong = list(work.differences())
        requests = ", ".join(f"{count} by {name}" for name, count in served.items())
        say(
            f"{work.finished} jobs, {work.messages} messages; requests: {requests}, {len(work.repeats)} repeated"
        )
    return [*wrong, *(f"{name} has answered nothing" for name, count in served.items() if not count)]


def change_versions(both: SideBySide, work: Load) -> None:
    phase("the old version alone", work)
    for line in both.migrate().splitlines():
        # what else it finds is true of any demo
        if "Migration" in line or "migrations" in line:
            say(line)
    phase("the old version on the new tables", work)
    both.replace(both.old, both.new)
    phase("both versions beside each other", work)
    both.stop(both.old, "web")
    phase("the new version alone", work)
    both.replace(both.new, both.old)
    both.end_roll_back()
    phase("rolled back to the old version", work)


def phase(name: str, work: Load) -> None:
    """The rest of the batch of jobs that is under way, and the whole next one."""
    started, before = time.monotonic(), len(work.batches)
    while len(work.batches) < before + 2:
        if work.trouble:
            raise SystemExit("\n".join(work.trouble))
        if time.monotonic() - started > PHASE_SECONDS:
            raise SystemExit(f"no batch of jobs was finished in {PHASE_SECONDS} s")
        time.sleep(0.5)
    say(f"{name}: {time.monotonic() - started:.0f} s")


def main() -> int:
    # everything that was started ends with it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    revision, database_url, folder = sys.argv[1:]
    wrong = play(revision, database_url, Path(folder))
    for sentence in wrong[:20]:
        say(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
