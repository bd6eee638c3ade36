"""After a failure one try at a time, until one succeeds."""

import pytest

from monitoring.backoff import BACKOFF_SECONDS, BackingOff, Backoff


class Clock:
    """A process' own, which no one sets."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def use(rest: Backoff, *, fails: bool) -> None:
    with rest.around(ConnectionError):
        if fails:
            raise ConnectionError


def test_no_call_during_the_back_off_and_one_after_it() -> None:
    clock = Clock()
    rest = Backoff(clock=clock)
    with pytest.raises(ConnectionError):
        use(rest, fails=True)

    with pytest.raises(BackingOff):
        use(rest, fails=False)
    clock.seconds = BACKOFF_SECONDS
    with pytest.raises(ConnectionError):
        use(rest, fails=True)
    with pytest.raises(BackingOff):
        use(rest, fails=False)
    clock.seconds = 2 * BACKOFF_SECONDS
    use(rest, fails=False)
    use(rest, fails=False)


def test_while_one_tries_the_others_are_refused() -> None:
    clock = Clock()
    rest = Backoff(clock=clock)
    with pytest.raises(ConnectionError):
        use(rest, fails=True)
    clock.seconds = BACKOFF_SECONDS

    with rest.around(ConnectionError), pytest.raises(BackingOff):
        use(rest, fails=False)


def test_another_kind_of_failure_starts_no_back_off() -> None:
    rest = Backoff()
    with pytest.raises(ValueError, match="odd"), rest.around(ConnectionError):
        raise ValueError("odd")

    use(rest, fails=False)
