"""One upgrade and its roll-back under load: `python -m tests.upgrade.run REVISION DATABASE_URL FOLDER`."""

import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import django

django.setup()

from tests.upgrade import load, phone, releases, side_by_side  # noqa: E402
from tests.upgrade.load import Load  # noqa: E402
from tests.upgrade.phone import OldPhone  # noqa: E402
from tests.upgrade.side_by_side import SideBySide  # noqa: E402

PHASE_SECONDS = 600


def say(line: str) -> None:
    sys.stdout.write(f"  {line}\n")
    sys.stdout.flush()


def play(revision: str, database_url: str, folder: Path) -> list[str]:
    """What went wrong, as sentences."""
    old, new = releases.unpack(revision, folder / "release"), releases.ours()
    phone.mark_bundle(old, new)
    with side_by_side.prepared(folder / "system", database_url, old, new, say) as (both, work, log):
        for process in side_by_side.RESTARTS:
            both.start(old, process)
        both.start_seller()
        with phone.old_phone(both, folder / "phone") as pocket:
            pocket.begin()
            say(f"a phone of the old version is offline with {len(pocket.unsent)} messages")
            work.start()
            wrong = list(upgrade(both, work, pocket, log))
        roll_back(both, work)
        work.stop()
        wrong += work.differences()
        say(f"{work.finished} jobs, {work.messages} messages; {len(work.repeats)} requests repeated")
        both.restore()
        say("the backup of step 1 is restored")
    return wrong


def upgrade(both: SideBySide, work: Load, pocket: OldPhone, log: Path) -> Iterator[str]:
    """Step by step as docs/operating.md says; what went wrong."""
    phase("the old version alone", work)
    both.back_up()
    for line in both.check():
        say(line)
        if "backup" in line.lower():
            yield f"preflight: {line}"
    both.migrate()
    phase("the old version on the new tables", work)
    both.begin_step_5(both.new)
    before = len(load.answered(log))
    phase("both versions beside each other", work)
    answered = Counter(load.answered(log)[before:])
    for name, port in both.web_ports.items():
        say(f"{name} answered {answered[f'127.0.0.1:{port}']} requests beside the other")
        if not answered[f"127.0.0.1:{port}"]:
            yield f"{name} has answered nothing beside the other"
    both.end_step_5(both.new)
    yield from both.check_link()
    pocket.work_on()
    say("the old phone has sent what it kept and read its day")
    pocket.take_version_of(both.new)
    say("the old phone has taken the new version")
    phase("the new version alone", work)


def roll_back(both: SideBySide, work: Load) -> None:
    both.begin_step_5(both.old)
    both.end_step_5(both.old)
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
