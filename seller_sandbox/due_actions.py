"""Work that falls due: one list for the whole sandbox, done in order of time, whoever moves the clock.

A module registers a function with `@due_action("orders.validate")`; `schedule` asks for it at a time of the sandbox's
clock. The worker does what falls due as time passes, `clock.move` what falls due on the way.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import structlog
from django.db import transaction
from django.db.models import DateTimeField

from seller_sandbox import sandbox_time
from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
from seller_sandbox.models import DueAction, DueActionQuerySet
from seller_sandbox.transactions import give_way

# after a failure: a minute, doubling, so that an action that can never succeed does not fill a year's move
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(days=1)
MAX_DOUBLINGS = 11

Function = Callable[..., object]

log = structlog.get_logger("sandbox.due_actions")
_functions: dict[str, Function] = {}


class UnknownAction(LookupError):
    """No function was registered under this name."""


class _TakenBack(Exception):
    """Somebody has cancelled an action while it was done: what it did must not stay."""


class _Batch:
    """Actions that share a transaction: those still to be done, in order, and those done but not marked yet."""

    def __init__(self, actions: list[DueAction], *, until: datetime, now: datetime) -> None:
        self.waiting = actions
        # what falls due later is left to the next batch
        self.until = until
        self.now = now
        self.unmarked: list[DueAction] = []
        self.begun = 0

    def take(self) -> DueAction | None:
        if not self.waiting:
            return None
        action = self.waiting.pop(0)
        self.unmarked.append(action)
        self.begun += 1
        return action

    def add(self, action: DueAction) -> None:
        if action.due_at <= self.until:
            insort(self.waiting, action, key=_time_of)

    def forget(self, names: tuple[str, ...], subject: str) -> None:
        self.waiting = [action for action in self.waiting if not _is_of(action, names, subject)]

    def mark_done(self, *names: str, subject: str = "") -> None:
        """Mark what has begun, of this subject or all, so that it is open no more. Raises _TakenBack."""
        chosen = [action for action in self.unmarked if not names or _is_of(action, names, subject)]
        if not chosen:
            return
        numbers = {action.pk for action in chosen}
        named = {f"number{index}": number for index, number in enumerate(numbers)}
        if _completion(len(named)).run(now=self.now, **named) != len(chosen):
            raise _TakenBack
        self.unmarked = [action for action in self.unmarked if action.pk not in numbers]


_current: ContextVar[_Batch | None] = ContextVar("due_actions_batch", default=None)


def due_action(name: str) -> Callable[[Function], Function]:
    """Register a function, called as `function(subject, **arguments)` inside a transaction."""

    def register(function: Function) -> Function:
        if name in _functions:
            raise ValueError(f"two due actions are named {name}; give the second one another name")
        _functions[name] = function
        return function

    return register


def schedule(name: str, *, at: datetime, subject: str, **arguments: Any) -> DueAction:
    """Ask for an action at a time of the sandbox's clock; a time that has passed means now.

    `arguments` must be what JSON can carry. Raises UnknownAction.
    """
    _function_of(name)
    due_at = max(at, sandbox_time.now())
    action = DueAction.add(name=name, subject=subject, arguments=arguments, due_at=due_at)
    if batch := _current.get():
        batch.add(action)
    return action


def cancel(*names: str, subject: str) -> int:
    """Take back what is not done yet; says how many."""
    if batch := _current.get():
        batch.forget(names, subject)
        batch.mark_done(*names, subject=subject)
    return _cancellation(names).run(subject=subject, now=sandbox_time.now())


def do_now(name: str, *, subject: str) -> None:
    """Do an action in the transaction of the caller, instead of when it falls due."""
    cancel(name, subject=subject)
    _function_of(name)(subject)


def is_scheduled(name: str, *, subject: str) -> bool:
    if batch := _current.get():
        batch.mark_done(name, subject=subject)
    return DueAction.objects.open().filter(name=name, subject=subject).exists()


def find_next(*names: str, subjects: Iterable[str], until: datetime) -> datetime | None:
    """When the first of these that is still ahead falls due; None when none does until then."""
    found = DueAction.objects.open().filter(name__in=names, subject__in=list(subjects))
    ahead = found.filter(due_at__gt=sandbox_time.now(), due_at__lte=until)
    return ahead.order_by("due_at").values_list("due_at", flat=True).first()


def run_due(*, limit: int | None = None, together: int = 1) -> int:
    """Do what is due, the earliest first, each at its own time; says how many were tried.

    Any number of processes may call this at once: the lock of the Clock row lets them work in turn. What an action
    schedules is part of the same order. An action that fails changes nothing, is kept with its error and tried again.
    So many as `together` share a transaction; when one of them fails, they are done again, each in one of its own.
    """
    tried = 0
    # an idle worker looks often: it must not take the lock for that
    if not _IS_DUE.is_found(now=sandbox_time.now()):
        return tried
    while limit is None or tried < limit:
        most = together if limit is None else min(together, limit - tried)
        done = _run_some(most)
        tried += done
        if done < most:
            break
    return tried


def _run_some(most: int) -> int:
    if most > 1:
        try:
            return _run_together(most)
        except Exception as problem:
            log.info("due actions are done one by one", because=f"{type(problem).__name__}: {problem}")
    for number in range(most):
        if not _run_one():
            return number
    return most


@transaction.atomic
def _run_together(most: int) -> int:
    now = sandbox_time.lock()
    # it holds the rows of many: it must not wait for one that somebody else holds
    give_way()
    actions = list(_due(now)[:most])
    until = actions[-1].due_at if len(actions) == most else now
    with _batch_of(actions, until=until, now=now) as batch:
        while batch.begun < most and (action := batch.take()):
            _call(action)
    batch.mark_done()
    return batch.begun


@transaction.atomic
def _run_one() -> bool:
    now = sandbox_time.lock()
    action = _due(now).first()
    if action is None:
        return False
    try:
        with transaction.atomic(), _batch_of([action], until=action.due_at, now=now) as batch:
            batch.take()
            _call(action)
            # what it schedules is looked up again
            batch.mark_done()
    except _TakenBack:
        log.info("due action was taken back", action=action.name, subject=action.subject)
    except Exception as problem:
        log.exception("due action failed", action=action.name, subject=action.subject)
        _put_off(action, problem)
    return True


@contextmanager
def _batch_of(actions: list[DueAction], *, until: datetime, now: datetime) -> Iterator[_Batch]:
    batch = _Batch(actions, until=until, now=now)
    token = _current.set(batch)
    try:
        yield batch
    finally:
        _current.reset(token)


def _call(action: DueAction) -> None:
    with sandbox_time.at(action.due_at):
        _function_of(action.name)(action.subject, **action.arguments)


def _time_of(action: DueAction) -> tuple[datetime, int]:
    return action.due_at, action.pk


def _is_of(action: DueAction, names: tuple[str, ...], subject: str) -> bool:
    return action.name in names and action.subject == subject


@cache
def _completion(count: int) -> CompiledUpdate:
    """Of so many actions, each a parameter number0, number1 …"""
    numbers = [Parameter(f"number{index}") for index in range(count)]
    return CompiledUpdate(
        lambda: DueAction.objects.open().filter(pk__in=numbers), done_at=Parameter("now", DateTimeField())
    )


@cache
def _cancellation(names: tuple[str, ...]) -> CompiledUpdate:
    return CompiledUpdate(
        lambda: DueAction.objects.open().filter(name__in=names, subject=Parameter("subject")),
        cancelled_at=Parameter("now", DateTimeField()),
    )


def _due(now: datetime | Parameter) -> DueActionQuerySet:
    return DueAction.objects.open().filter(due_at__lte=now).order_by("due_at", "id")


_IS_DUE = CompiledQuery(lambda: _due(Parameter("now", DateTimeField())).values_list("pk")[:1])


def _put_off(action: DueAction, problem: Exception) -> None:
    wait = min(FIRST_WAIT * 2 ** min(action.attempts, MAX_DOUBLINGS), LONGEST_WAIT)
    action.attempts += 1
    action.error = f"{type(problem).__name__}: {problem}"
    action.due_at += wait
    action.save(update_fields=["attempts", "error", "due_at"])


def _function_of(name: str) -> Function:
    if name not in _functions:
        raise UnknownAction(f"there is no due action {name!r}; known are {', '.join(sorted(_functions))}")
    return _functions[name]
