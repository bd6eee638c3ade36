"""What shall happen to each of the forty jobs: type, provisioning results, how it ends, who cancels it when."""

from dataclasses import dataclass

from dispatch.states import WITH_ONT_SCAN, JobType

INSTALLATION, REVISIT = JobType.INSTALLATION, JobType.REVISIT
EXTERNAL, CIVILS = JobType.EXTERNAL, JobType.CIVILS
JOBS = 40
# taken in turn
TYPES = (INSTALLATION, REVISIT, INSTALLATION, EXTERNAL, INSTALLATION, REVISIT, INSTALLATION, CIVILS)
# of the scans of one job, one after the other: every result from 1 to 7 comes up, each ends in 1 or 2
PLANS = ((1,), (2,), (4, 1), (5, 1), (6, 2), (7, 1), (3, 2), (4, 4, 2))
ENDS_WELL = {INSTALLATION: "SP", REVISIT: "REVCOMP", EXTERNAL: "EXTCOMP", CIVILS: "CIVCOMP"}
SECONDARY_OF_SUCCESS = {CIVILS: "CIVCOMP01"}


@dataclass(frozen=True)
class Ending:
    """How the engineer closes the job; `succeeds` asks for the whole checklist."""

    code: str
    secondary: str = ""
    succeeds: bool = False


@dataclass(frozen=True)
class Fate:
    """What the rehearsal does with one job. `cancelled_when`: "assigned" or "en_route", by the seller."""

    number: int
    job_type: JobType
    results: tuple[int, ...]
    ending: Ending
    cancelled_when: str = ""


# one in eight fails, as it really does: number of the job → closure
FAILURES = {
    2: Ending("RNA/NA"),
    13: Ending("REVPOP", "REVPOP01"),
    19: Ending("EXTCON", "EXTCON17"),
    23: Ending("CIVCON", "CIVCON04"),
    32: Ending("CON", "CON07"),
}
CANCELLED = {10: "assigned", 28: "en_route"}


def fates(jobs: int = JOBS) -> list[Fate]:
    """One for each job, in the order in which the seller sends them."""
    return [_fate(number) for number in range(jobs)]


def _fate(number: int) -> Fate:
    job_type = TYPES[number % len(TYPES)]
    success = Ending(ENDS_WELL[job_type], SECONDARY_OF_SUCCESS.get(job_type, ""), succeeds=True)
    return Fate(
        number=number,
        job_type=job_type,
        results=_results(number) if job_type in WITH_ONT_SCAN else (),
        ending=FAILURES.get(number, success),
        cancelled_when=CANCELLED.get(number, ""),
    )


def _results(number: int) -> tuple[int, ...]:
    """In turn over the jobs that have a scan, so that no plan falls only to types without one."""
    scanned = [place for place in range(number) if TYPES[place % len(TYPES)] in WITH_ONT_SCAN]
    return PLANS[len(scanned) % len(PLANS)]
