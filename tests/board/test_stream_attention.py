"""What the stream says of alarms and check-ins: the reader's own page has changed."""

import pytest
import time_machine

from board.day.live_day import BoardView
from board.stream.board_watch import BoardMessage, BoardWatch
from engineers.models import CheckIn
from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind
from tests import make

pytestmark = pytest.mark.django_db


def look(watch: BoardWatch) -> list[BoardMessage]:
    return watch.read_changes({BoardView(make.DAY, "en-gb")})


def test_alarm_concerns_the_reader_s_own_page() -> None:
    watch = BoardWatch()
    make.engineer()
    look(watch)
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, "J-1", CodedText("message_held", {}))

    assert [message.data["is_personal"] for message in look(watch)] == [True]


def test_changed_text_of_an_alarm_concerns_it_and_the_same_text_does_not() -> None:
    watch = BoardWatch()
    make.engineer()
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        raise_held(reason="400")
        look(watch)

        clock.shift(1)
        raise_held(reason="400")
        assert look(watch) == []
        clock.shift(1)
        raise_held(reason="503")
        assert [message.data["is_personal"] for message in look(watch)] == [True]
        clock.shift(1)
        replaced = coded_text("message_held", address="1 Mill Lane", job="J-1", reason="504")
        known = alarms.known_alarms(AlarmKind.MESSAGE_HELD)[AlarmKind.MESSAGE_HELD]
        alarms.replace_alarms(AlarmKind.MESSAGE_HELD, {"J-1": replaced}, known=known)
        assert [message.data["is_personal"] for message in look(watch)] == [True]


def raise_held(reason: str) -> None:
    text = coded_text("message_held", address="1 Mill Lane", job="J-1", reason=reason)
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, "J-1", text)


def test_end_of_a_snooze_concerns_the_reader_s_own_page() -> None:
    dana, watch = make.dispatcher(), BoardWatch()
    make.engineer()
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        alarms.raise_alarm(AlarmKind.MESSAGE_HELD, "J-1", CodedText("message_held", {}))
        alarms.snooze_alarm(alarms.open_alarms().get(), owner_id=dana.pk, until=make.at("10:30"))
        look(watch)

        assert [are_personal(watch, clock, at) for at in ("10:29", "10:31")] == [[False], [True]]


def test_alarm_that_is_given_back_concerns_it_too() -> None:
    dana, watch = make.dispatcher(), BoardWatch()
    make.engineer()
    for job in ("J-1", "J-2"):
        alarms.raise_alarm(AlarmKind.MESSAGE_HELD, job, CodedText("message_held", {}))
    first, second = alarms.open_alarms().order_by("pk")
    alarms.acknowledge_alarm(first, owner_id=dana.pk)
    alarms.acknowledge_alarm(second, owner_id=dana.pk)
    look(watch)

    alarms.release_alarm(first)

    assert [message.data["is_personal"] for message in look(watch)] == [True]


def test_overdue_check_in_says_each_minute_how_late_it_is() -> None:
    engineer, watch = make.engineer(), BoardWatch()
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        CheckIn.objects.create(engineer=engineer, started_at=make.at("09:00"), due_at=make.at("10:01"))
        look(watch)

        assert [are_personal(watch, clock, at) for at in ("10:02", "10:03")] == [[True], [True]]


def are_personal(watch: BoardWatch, clock: time_machine.Traveller, at: str) -> list[bool]:
    clock.move_to(make.at(at))
    return [message.data["is_personal"] for message in look(watch)]
