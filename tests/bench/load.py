"""600 phones and 40 boards at their usual rhythm on all production parts of this machine (tests/load)."""

from collections.abc import Iterator
from pathlib import Path

from tests.bench.rows import Row
from tests.load import installation
from tests.load.run import GOAL_BOARD_MILLISECONDS, GOAL_TAP_MILLISECONDS, Level, generating
from tests.servers import nginx, object_store
from tools.check import postgresql_missing

PHONES, BOARDS, JOBS_EACH = 600, 40, 3
# the packs of a day of eight hours
PACKS_PER_SECOND = 0.1
WARM_UP_SECONDS, SECONDS = 240.0, 600.0
GOAL_MEGABYTES_PER_HOUR = 20


def missing() -> str:
    """What this machine lacks for it."""
    if nginx.PROGRAM is None:
        return "nginx is not installed"
    return postgresql_missing() if object_store.RCLONE.exists() else "rclone is not installed"


def measure(
    folder: Path,
    *,
    phones: int = PHONES,
    boards: int = BOARDS,
    warm_up: float = WARM_UP_SECONDS,
    seconds: float = SECONDS,
) -> Iterator[Row]:
    with installation.running(folder) as machine:
        people = machine.grow(
            installation.People(), engineers=phones, dispatchers=boards, jobs_each=JOBS_EACH
        )
        with generating(machine, folder) as run:
            level = run.play(
                people,
                phones=phones,
                boards=boards,
                packs=PACKS_PER_SECOND,
                warm_up=warm_up,
                seconds=seconds,
            )
    cores = ", ".join(f"{part} {used:.2f}" for part, used in level.cores.items() if used >= 0.01)
    compared = f"{phones} phones, {boards} boards, {seconds:g} s; cores used: {cores}"
    yield _wait("load_tap_p99", level, "tap", compared, goal=GOAL_TAP_MILLISECONDS)
    yield _wait("load_board_p99", level, "board action", compared, goal=GOAL_BOARD_MILLISECONDS)
    failed = sum(level.failures.values())
    yield Row(
        name="web_phones_600",
        value=round(level.cores.get("web", 0.0), 3),
        unit=f"cores used by the web processes; {failed} answers failed, {level.refused} taps refused",
        compared_with=f"the day of a phone: {level.milliseconds.get('day', 0):.0f} ms, 99th percentile; "
        f"{level.unchanged} of {level.answers.get('day', 0)} were unchanged",
        ratio=None,
        goal="no answer fails, no tap is refused",
        is_within_limit=not failed and not level.refused,
    )
    grown = level.megabytes_per_hour("web")
    yield Row(
        name="soak_memory",
        value=round(grown, 1),
        unit=f"MB an hour more of the web processes, from {seconds / 60:.0f} min; hours: make load ARGS='--soak 120'",
        compared_with=f"{level.megabytes['web'][0]:.0f} MB at the beginning",
        ratio=None,
        goal=f"at most {GOAL_MEGABYTES_PER_HOUR} MB an hour",
        is_within_limit=grown <= GOAL_MEGABYTES_PER_HOUR,
    )


def _wait(name: str, level: Level, kind: str, compared: str, *, goal: int) -> Row:
    value = level.milliseconds.get(kind, 0.0)
    unit = f"ms, 99th percentile of {level.answers.get(kind, 0)}"
    return Row(name, value, unit, compared, None, f"at most {goal} ms", 0 < value <= goal)
