"""Questions to a file system that may be away: a network mount fails, or hangs for as long as its server is gone."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
# who asks has a time limit, too: Prometheus, a page, a watchdog
ANSWER_SECONDS = 3.0
# the thread that waits for a folder
_WAITING: dict[Path, threading.Thread] = {}


class _FolderRequest(threading.Thread, Generic[T]):
    def __init__(self, folder: Path, question: Callable[[Path], T]) -> None:
        super().__init__(name=f"file system of {folder}", daemon=True)
        self._folder, self._question = folder, question
        self._answers: list[T] = []
        self._problem: Exception | None = None

    def run(self) -> None:
        try:
            self._answers.append(self._question(self._folder))
        except Exception as problem:  # raised again by `answer`
            self._problem = problem

    def answer(self) -> T:
        if self._problem is not None:
            raise self._problem
        return self._answers[0]


def ask_file_system(folder: Path, question: Callable[[Path], T]) -> T:
    """The answer, which comes from a thread and uses no database. Raises OSError: also when none comes in time, and at
    once while an earlier question about this folder still hangs, so that no more threads wait for it."""
    if (waiting := _WAITING.get(folder)) and waiting.is_alive():
        raise TimeoutError("no answer in time")
    asked = _FolderRequest(folder, question)
    asked.start()
    asked.join(ANSWER_SECONDS)
    if asked.is_alive():
        _WAITING[folder] = asked
        raise TimeoutError("no answer in time")
    _WAITING.pop(folder, None)
    return asked.answer()
