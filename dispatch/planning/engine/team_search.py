"""Two engineers for jobs that need a team: VROOM knows no two routes that meet, so moments are tried one by one."""

from collections.abc import Sequence
from functools import partial

from dispatch.planning.engine.plan_routes import NOBODY, Neighbourhood
from dispatch.planning.engine.search_run import SearchRun


def pair_teams(run: SearchRun, *, is_pinned: bool = False, keeps_times: bool = False) -> None:
    """For each team's job that waits, at one moment after the other. `keeps_times`: visits that are as today keep
    theirs. Raises TimeIsOver."""
    for job in run.state.waiting_jobs():
        starts = run.state.possible_team_starts(job)[::-1]
        run.solve(partial(_choose_team, run, job, starts, keeps_times=keeps_times), is_pinned=is_pinned)


def _choose_team(
    run: SearchRun, job: int, starts: list[int], _busy: Sequence[Neighbourhood], *, keeps_times: bool
) -> Neighbourhood | None:
    if not starts or run.state.part_of_job[job] != NOBODY:
        return None
    found = run.state.choose((), focus=job, team_start=starts.pop())
    return run.state.keeping_times(found) if found and keeps_times else found
