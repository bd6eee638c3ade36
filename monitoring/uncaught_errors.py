"""What no code of a service catches: one JSON line with the places, instead of a traceback with a database's words."""

import sys
import threading
from traceback import extract_tb
from types import TracebackType

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

log = structlog.get_logger("monitoring.uncaught_errors")
# written for the operator, and they name a setting or a remedy
FOR_PEOPLE = (CommandError, ImproperlyConfigured, KeyboardInterrupt)


def log_uncaught_errors() -> None:
    """For a command that serves until it is stopped; both of the main thread and of others."""
    sys.excepthook = _log_error
    threading.excepthook = _log_error_of_thread


def code_locations(problem: BaseException | None) -> list[str]:
    """Where in our code something went wrong, for a log that must not name people."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in extract_tb(problem.__traceback__ if problem else None)
    ]


def _log_error(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    if isinstance(problem, FOR_PEOPLE):
        sys.__excepthook__(kind, problem, trace)
        return
    log.critical("uncaught error", error=kind.__name__, trace=code_locations(problem))


def _log_error_of_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
        _log_error(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
