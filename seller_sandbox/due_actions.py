"""Work that falls due: one list for the whole sandbox, done in order of time, whoever moves the clock.

A module registers a function with `@due_action("orders.validate")`; `schedule` asks for it at a time of the sandbox's
clock. The worker does what falls due as time passes, `clock.move` what falls due on the way.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction

from seller_sandbox import sandbox_time
from seller_sandbox.models import DueAction, DueActionQuerySet

# after a failure: a minute, doubling, so that an action that can never succeed does not fill a year's move
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(days=1)
MAX_DOUBLINGS = 11

Function = Callable[..., object]

log = structlog.get_logger("sandbox.due_actions")
_functions: dict[str, Function] = {}


class UnknownAction(LookupError):
    """No function was registered under this name."""


def due_action(name: str) -> Callable[[Function], Function]:
    """Register a function, called as `function(subject, **arguments)` in a transaction of its own."""

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
    return DueAction.objects.create(name=name, subject=subject, arguments=arguments, due_at=due_at)


def cancel(name: str, *, subject: str) -> int:
    """Take back what is not done yet; says how many."""
    return _open(name, subject).update(cancelled_at=sandbox_time.now())


def is_scheduled(name: str, *, subject: str) -> bool:
    return _open(name, subject).exists()


def run_due(*, limit: int | None = None, together: int = 1) -> int:
    """Do what is due, the earliest first, each at its own time; says how many were tried.

    Any number of processes may call this at once: the lock of the Clock row lets them work in turn. What an action
    schedules is part of the same order. An action that fails changes nothing, is kept with its error and tried again.
    So many as `together` share a transaction, each with a savepoint of its own.
    """
    tried = 0
    # an idle worker looks often: it must not take the lock for that
    if not _due(sandbox_time.now()).exists():
        return tried
    while limit is None or tried < limit:
        most = together if limit is None else min(together, limit - tried)
        done = _run_some(most)
        tried += done
        if done < most:
            break
    return tried


def _run_some(most: int) -> int:
    with transaction.atomic():
        now = sandbox_time.lock()
        for number in range(most):
            action = _due(now).first()
            if action is None:
                return number
            _run(action, now)
    return most


def _open(name: str, subject: str) -> DueActionQuerySet:
    return DueAction.objects.open().filter(name=name, subject=subject)


def _due(now: datetime) -> DueActionQuerySet:
    return DueAction.objects.open().filter(due_at__lte=now).order_by("due_at", "id")


def _run(action: DueAction, now: datetime) -> None:
    try:
        with transaction.atomic(), sandbox_time.at(action.due_at):
            _function_of(action.name)(action.subject, **action.arguments)
    except Exception as problem:
        log.exception("due action failed", action=action.name, subject=action.subject)
        _put_off(action, problem)
    else:
        action.done_at = now
        action.save(update_fields=["done_at"])


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
