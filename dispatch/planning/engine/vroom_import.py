"""VROOM's package without pandas, which it loads for a table of routes that nobody here reads.

An engine starts in 0.27 s of processor time instead of 0.65 and with 32 MB instead of 75 (docs/numbers.md).
`vroom.Solution.routes` does not work in this process; vroom_solver reads the rows behind it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

PANDAS = "pandas"


@contextmanager
def _without_pandas() -> Iterator[None]:
    """The real one where it is loaded already."""
    if PANDAS in sys.modules:
        yield
        return
    stand_in = ModuleType(PANDAS)
    # VROOM names types of it in annotations
    vars(stand_in)["__getattr__"] = lambda _name: object
    sys.modules[PANDAS] = stand_in
    try:
        yield
    finally:
        del sys.modules[PANDAS]


with _without_pandas():
    import vroom
    from vroom._vroom import VroomInputException
    from vroom.solution.solution import Solution

__all__ = ["Solution", "VroomInputException", "vroom"]
