"""Several pieces of work share a transaction, and fail alone."""

import pytest

from seller_sandbox import clock
from seller_sandbox.models import Heartbeat
from seller_sandbox.transactions import do_together

pytestmark = [pytest.mark.django_db, pytest.mark.locks]


def note(names: list[str]) -> None:
    for name in names:
        Heartbeat.objects.create(name=name, at=clock.now())
        if name.startswith("bad"):
            raise ValueError(name)


def noted() -> list[str]:
    return sorted(Heartbeat.objects.values_list("name", flat=True))


def test_all_are_done() -> None:
    do_together(note, iter(["a", "b", "c"]))

    assert noted() == ["a", "b", "c"]


def test_nothing_to_do_is_done() -> None:
    do_together(note, [])

    assert noted() == []


@pytest.mark.parametrize("names", [["a", "bad", "c", "bad too"], ["bad", "a", "c"], ["bad"]])
def test_what_fails_fails_alone(names: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^bad$"):
        do_together(note, names)

    assert noted() == [name for name in names if not name.startswith("bad")]
