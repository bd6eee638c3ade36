"""What a rehearsal shows: a progress bar while it runs, a table of jobs at its end."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock

WIDTH = 30


@dataclass
class RehearsalProgress:
    """One line that moves on a terminal, a line now and then elsewhere. For several threads."""

    total: int
    write: Callable[[str], None]
    moving: bool = field(default_factory=sys.stderr.isatty)
    done: int = 0
    lock: Lock = field(default_factory=Lock)

    def step(self, what: str) -> None:
        """One more job is over."""
        with self.lock:
            self.done += 1
            self.show(what)

    def show(self, what: str) -> None:
        filled = WIDTH * self.done // max(self.total, 1)
        bar = "█" * filled + "·" * (WIDTH - filled)
        line = f"{bar} {self.done}/{self.total}  {what}"
        if self.moving:
            self.write(f"\r{line[:110]:110}")
        elif self.done % 5 == 0 or self.done == self.total:
            self.write(f"{line}\n")

    def end(self) -> None:
        if self.moving:
            self.write("\n")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; the last one runs on."""
    everything = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in everything) for column in range(len(heads) - 1)]
    return "\n".join(_line(row, widths) for row in everything)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[-1]])
