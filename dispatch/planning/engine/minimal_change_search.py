"""The beginning of a plan that changes a part of today's: a place for each job that waits, moving as few visits and
times as possible."""

from collections.abc import Iterable, Iterator, Sequence

from dispatch.planning.engine.partition import split
from dispatch.planning.engine.plan_routes import Neighbourhood
from dispatch.planning.engine.search_run import SearchRun
from dispatch.planning.engine.team_search import pair_teams
from dispatch.planning.engine.vroom_solver import Routes

Answer = tuple[Neighbourhood, Routes]


def fill_gaps(run: SearchRun) -> None:
    """Jobs that wait, where nobody has to be moved for them: first between the visits of today at their times, and
    where nothing fits otherwise, with other times for as few of these as possible. Raises TimeIsOver."""
    for keeps_times in (True, False):
        if run.limits.focus is None:
            # finds more than one job after the other does
            _solve_groups(run, keeps_times=keeps_times)
        if keeps_times:
            _assign_at_kept_times(run)
        else:
            _assign_at_other_times(run)
        pair_teams(run, is_pinned=True, keeps_times=keeps_times)
    _restore(run)


def _solve_groups(run: SearchRun, *, keeps_times: bool) -> None:
    """Those in which a job waits: the others have nothing to find."""
    groups = split(run.model, run.state.part_of_job)
    asked = (run.state.group(parts, waiting) for parts, waiting in groups if waiting)
    questions = [*_with_times(run, asked, keeps_times=keeps_times)][::-1]
    run.solve(lambda _busy: questions.pop() if questions else None, is_pinned=True)


def _with_times(
    run: SearchRun, questions: Iterable[Neighbourhood], *, keeps_times: bool
) -> Iterator[Neighbourhood]:
    """The questions with the visits of today at their times; or else, after these, those that have such visits."""
    for question in questions:
        timed = run.state.keeping_times(question)
        if keeps_times:
            yield timed
        elif timed.kept_starts:
            yield question


def _assign_at_kept_times(run: SearchRun) -> None:
    """One after the other; again for those whose answer came too late, so that no time is given up for them."""
    waiting = run.state.waiting_jobs()
    while waiting:
        run.late.clear()
        left = waiting[::-1]

        def choose(_busy: Sequence[Neighbourhood], left: list[int] = left) -> Neighbourhood | None:
            found = run.state.choose((), focus=left.pop()) if left else None
            return run.state.keeping_times(found) if found else None

        run.solve(choose, is_pinned=True)
        still_waiting = run.late.intersection(run.state.waiting_jobs())
        waiting = [job for job in waiting if job in still_waiting]


def _assign_at_other_times(run: SearchRun) -> None:
    """Several jobs together with those near them, of which more than one may be done for one that is left out. One job
    with the engineer whose other visits change the least."""
    waiting = run.state.waiting_jobs()
    if len(waiting) == 1:
        _assign_alone(run, waiting[0])
        return

    def questions() -> Iterator[Neighbourhood]:
        for job in waiting:
            if found := run.state.choose((), focus=job):
                yield found

    left = _with_times(run, questions(), keeps_times=False)
    run.solve(lambda _busy: next(left, None), is_pinned=True)


def _assign_alone(run: SearchRun, job: int) -> None:
    answers: list[Answer] = []
    asked = [*_with_times(run, run.state.one_by_one(job), keeps_times=False)][::-1]
    run.solve(
        lambda _busy: asked.pop() if asked else None,
        is_pinned=True,
        use=lambda question, routes: answers.append((question, routes)),
    )
    if answers:
        run.apply(*max(answers, key=lambda answer: run.state.score_with(*answer)))


def _restore(run: SearchRun) -> None:
    """Visits that have moved, back to their engineers and times where the others leave them possible."""
    changed = run.state.changed_jobs()[::-1]

    def choose(busy: Sequence[Neighbourhood]) -> Neighbourhood | None:
        busy_parts = {part for other in busy for part in other.parts}
        while changed and not run.state.is_changed(changed[-1]):
            changed.pop()
        found = run.state.back_as_today(changed[-1]) if changed else None
        if found is None or busy_parts.intersection(found.parts):
            return None
        changed.pop()
        return found

    run.solve(choose)
