"""What shall happen to each of the forty jobs: type, provisioning results, outcome, who cancels it when, what is odd.

The names of odd packs and odd messages are those of the sandbox seller (`GET /api/odd` on its console).
"""

from dataclasses import dataclass

from dispatch.states import WITH_ONT_SCAN, JobType

INSTALLATION, REVISIT = JobType.INSTALLATION, JobType.REVISIT
EXTERNAL, CIVILS = JobType.EXTERNAL, JobType.CIVILS
JOBS = 40
SEED = 20261123
# taken in turn
TYPES = (INSTALLATION, REVISIT, INSTALLATION, EXTERNAL, INSTALLATION, REVISIT, INSTALLATION, CIVILS)
# of the scans of one job, one after the other: every result from 1 to 7 comes up, each ends in 1 or 2
PLANS = ((1,), (2,), (4, 1), (5, 1), (6, 2), (7, 1), (3, 2), (4, 4, 2))
# packs that an engineer can work on though they are odd, an empty name for a usual one; by seed and number
ODD_PACKS = ("", "strange_texts", "", "null_members", "", "long_texts", "unknown_members", "", "minimal", "")
ODD_PACKS_OF_REVISITS = ("fault", "")
# what the seller sends behind the first success of a scan
ODD_RESULTS: tuple[tuple[str, ...], ...] = (
    ("older_failure", "result_again"),
    (),
    ("false_success", "older_retry"),
    ("foreign_scan", "false_failure"),
    ("unknown_event", "result_8"),
)
# what it sends when the job is over
AFTER_THE_END = ("", "pack_again", "result_again", "pack_changed")
ENDS_WELL = {INSTALLATION: "SP", REVISIT: "REVCOMP", EXTERNAL: "EXTCOMP", CIVILS: "CIVCOMP"}
SECONDARY_OF_SUCCESS = {CIVILS: "CIVCOMP01"}


@dataclass(frozen=True)
class PlannedOutcome:
    """How the engineer closes the job; `succeeds` asks for the whole checklist."""

    code: str
    secondary: str = ""
    succeeds: bool = False
    remarks: str = ""


@dataclass(frozen=True)
class JobScenario:
    """What the rehearsal does with one job. `cancelled_when`: "assigned" or "en_route", by the seller."""

    number: int
    job_type: JobType
    results: tuple[int, ...]
    ending: PlannedOutcome
    cancelled_when: str = ""
    odd_pack: str = ""
    odd_results: tuple[str, ...] = ()
    after_the_end: str = ""


# one in eight fails, as it really does: number of the job → closure
FAILURES = {
    2: PlannedOutcome("RNA/NA"),
    13: PlannedOutcome("REVPOP", "REVPOP01"),
    19: PlannedOutcome("EXTCON", "EXTCON17"),
    23: PlannedOutcome("CIVCON", "CIVCON04"),
    32: PlannedOutcome("CON", "CON07"),
}
# what some of them end with in every other rehearsal
OTHER_FAILURES = {
    2: PlannedOutcome("OTHER", remarks="Road closed by the police, nobody gets through"),
    13: PlannedOutcome("REVNA", "REVNA02"),
    32: PlannedOutcome("POP", "POP02"),
}
CANCELLED = {10: "assigned", 28: "en_route"}


def plan_scenarios(jobs: int = JOBS, *, seed: int = 0) -> list[JobScenario]:
    """One for each job, in the order in which the seller sends them; the seed moves what is odd."""
    return [_plan_scenario(number, seed=seed) for number in range(jobs)]


def _plan_scenario(number: int, *, seed: int) -> JobScenario:
    job_type = TYPES[number % len(TYPES)]
    success = PlannedOutcome(ENDS_WELL[job_type], SECONDARY_OF_SUCCESS.get(job_type, ""), succeeds=True)
    return JobScenario(
        number=number,
        job_type=job_type,
        results=_results(number) if job_type in WITH_ONT_SCAN else (),
        ending=_failure(number, seed=seed) or success,
        cancelled_when=CANCELLED.get(number, ""),
        odd_pack=_odd_pack(job_type, number + seed),
        odd_results=ODD_RESULTS[(number + seed) % len(ODD_RESULTS)] if job_type in WITH_ONT_SCAN else (),
        after_the_end=AFTER_THE_END[(number + seed) % len(AFTER_THE_END)],
    )


def _failure(number: int, *, seed: int) -> PlannedOutcome | None:
    usual = FAILURES.get(number)
    return OTHER_FAILURES.get(number, usual) if seed % 2 else usual


def _odd_pack(job_type: JobType, turn: int) -> str:
    if job_type == REVISIT and ODD_PACKS_OF_REVISITS[turn // 2 % len(ODD_PACKS_OF_REVISITS)]:
        return "fault"
    return ODD_PACKS[turn % len(ODD_PACKS)]


def _results(number: int) -> tuple[int, ...]:
    """In turn over the jobs that have a scan, so that no plan falls only to types without one."""
    scanned = [place for place in range(number) if TYPES[place % len(TYPES)] in WITH_ONT_SCAN]
    return PLANS[len(scanned) % len(PLANS)]
