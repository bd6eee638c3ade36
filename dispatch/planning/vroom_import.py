"""VROOM's package without pandas, which it loads for a table of routes that nobody here reads.

An engine starts in 0.27 s of processor time instead of 0.65 and with 32 MB instead of 75 (docs/numbers.md).
`vroom.Solution.routes` does not work in this process; `dispatch/planning/vroom_solver.py` reads the rows behind it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

UNUSED = "pandas"


@contextmanager
def _without_pandas() -> Iterator[None]:
    """The real one where it is loaded already."""
    if UNUSED in sys.modules:
        yield
        return
    stand_in = ModuleType(UNUSED)
    # all that VROOM says of it while it loads, in an annotation
    vars(stand_in)["DataFrame"] = object
    sys.modules[UNUSED] = stand_in
    try:
        yield
    finally:
        del sys.modules[UNUSED]


with _without_pandas():
    import vroom
    from vroom._vroom import VroomInputException
    from vroom.solution.solution import Solution

__all__ = ["Solution", "VroomInputException", "vroom"]
