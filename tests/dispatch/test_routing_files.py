"""Public routing instances as planning problems: read, solved, compared with the best known."""

from pathlib import Path

import pytest

from dispatch.planning.engine.routing_problem import PlanLimits, PlanSpan
from tests.bench.plan_public import VARIABLE, files_missing, find_gap, measure
from tests.bench.routing_files import NotReadable, read_instance

# four customers on the corners of a square, one vehicle that could serve them all, and its capacity
TEXT = """SQUARE

VEHICLE
NUMBER     CAPACITY
  2         {capacity}

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE TIME

    0      0         0          0          0       1000          0
    1      3         0         10          0        900         10
    2      3         4         10          0        900         10
    3      0         4         10          0        900         10
    4      1         1         10          0        900         10
"""
# 0, 4, 3, 2, 1 and back: 1.4, 3.1, 3, 4 and 3
BEST = "Route #1: 4 3 2 1\nCost 14.5\n"


def write(folder: Path, *, capacity: int = 40, best: str = BEST) -> Path:
    path = folder / "square.txt"
    path.write_text(TEXT.format(capacity=capacity))
    path.with_suffix(".sol").write_text(best)
    return path


def test_instance_is_read_in_tenths(tmp_path: Path) -> None:
    instance = read_instance(write(tmp_path))

    problem = instance.problem
    problem.validate()
    assert (instance.name, instance.capacity, instance.demands) == ("square", 40, (10, 10, 10, 10))
    assert [engineer.shift for engineer in problem.engineers] == [PlanSpan(0, 10_000)] * 2
    assert [job.length_seconds for job in problem.jobs] == [100] * 4
    assert problem.jobs[0].start_windows == ((0, 9000),)
    assert problem.travel_seconds[0].tolist() == [0, 30, 50, 40, 14]


def test_best_known_route_has_no_gap(tmp_path: Path) -> None:
    instance = read_instance(write(tmp_path))

    assert find_gap(instance, PlanLimits(60, neighbourhoods=2)) == pytest.approx(0)


def test_plan_that_no_vehicle_could_carry_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, capacity=30)
    monkeypatch.setenv(VARIABLE, str(tmp_path))

    (row,) = measure(tmp_path, seconds=60, most=1, neighbourhoods=2)

    assert (files_missing(), row.value) == ("", None)
    assert row.unit.endswith("left out, since a load or a customer was too much: square")


def test_absent_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert VARIABLE in files_missing()

    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert files_missing() == f"no instance with its .sol in {VARIABLE}"


def test_other_formats_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, best="Route #1: 4\n")
    with pytest.raises(NotReadable, match=r"square\.sol names no cost"):
        read_instance(path)
    path.write_text("NAME : x\nDIMENSION : 4\n")
    with pytest.raises(NotReadable, match=r"square\.txt has not Solomon's format"):
        read_instance(path)
