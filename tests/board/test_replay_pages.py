"""Messages sent again together: first a preview, then a reason, then the progress."""

import re

import pytest
from django.utils import timezone

from dispatch.states import JobState
from engineers.models import Area, AreaLimit
from seller_link import retention
from seller_link.models import OutboundMessage, OutboundState, Replay
from tests import make
from tests.board.office import lately, signed_in
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
NEW = "/board/replays/new/"


def delivered() -> list[OutboundMessage]:
    make.job(at_state=JobState.ON_SITE)
    OutboundMessage.objects.update(state=OutboundState.SENT, sent_at=timezone.now())
    return list(OutboundMessage.objects.all())


def test_selection_is_previewed_and_nothing_happens() -> None:
    first, second, _ = delivered()

    page = signed_in().get(NEW, {"message": [first.pk, second.pk]}).context["page"]

    assert (page.preview.messages, page.preview.jobs, page.preview.delivered) == (2, 1, 2)
    assert not Replay.objects.exists()


def test_selection_is_replayed_after_a_reason() -> None:
    first, second, third = delivered()

    answer = signed_in().post(NEW, {"message": [first.pk, second.pk], "reason": "The seller lost them"})

    replay = Replay.objects.get()
    assert answer.headers["Location"] == f"/board/replays/{replay.pk}/"
    assert sorted(replay.messages.values_list("pk", flat=True)) == [first.pk, second.pk]
    third.refresh_from_db()
    assert third.state == OutboundState.SENT


def test_message_whose_personal_data_was_removed_is_skipped() -> None:
    first, second, _ = delivered()
    retention.mask_outbound(OutboundMessage.objects.filter(pk=first.pk))
    client = signed_in()

    mixed = client.get(NEW, {"message": [first.pk, second.pk]})
    alone = client.get(NEW, {"message": first.pk})

    assert (mixed.context["page"].preview.messages, mixed.context["page"].preview.purged) == (1, 1)
    assert "1 with personal data removed" in mixed.content.decode()
    assert "No messages to resend." in alone.content.decode()
    assert 'name="reason"' not in alone.content.decode()


def test_message_whose_personal_data_was_removed_cannot_be_resent() -> None:
    first, second, _ = delivered()
    retention.mask_outbound(OutboundMessage.objects.filter(pk=first.pk))
    client = signed_in()

    removed, whole = (
        client.get(f"/board/messages/{message.message_id}/").content.decode() for message in (first, second)
    )

    assert ("Resend unchanged" in removed, "Resend unchanged" in whole) == (False, True)
    assert "this message can&#x27;t be resent" in removed


def test_outage_is_previewed_and_replayed() -> None:
    messages, client = delivered(), signed_in()

    page = client.get(NEW, lately()).context["page"]
    client.post(NEW, {**dict(page.fields), "reason": "Outage"})

    assert page.preview.messages == len(messages)
    replay = Replay.objects.get()
    assert (replay.messages.count(), replay.from_at is not None) == (len(messages), True)


def test_without_a_reason_nothing_is_replayed() -> None:
    first, *_ = delivered()

    answer = signed_in().post(NEW, {"message": first.pk, "reason": " "})

    assert (answer.status_code, Replay.objects.count()) == (409, 0)
    assert answer.context["page"].problems == ["Enter a reason for resending."]


def test_reason_that_is_too_long_is_refused_as_it_was_typed() -> None:
    first, *_ = delivered()

    answer = signed_in().post(NEW, {"message": first.pk, "reason": "x" * 501})

    page = answer.content.decode()
    assert (answer.status_code, Replay.objects.count()) == (400, 0)
    assert "The reason can have at most 500 characters. This one has 501." in page
    (field,) = re.findall(r'<input type="text" id="reason"[^>]*>', page)
    assert f'value="{"x" * 501}"' in field
    assert "maxlength" not in field


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({}, "This field is required."),
        ({"from_at": "2026-11-23T10:00", "to_at": "2026-11-23T09:00"}, "The end must be after the start."),
    ],
)
def test_time_that_cannot_be_read_is_explained(asked: dict[str, str], says: str) -> None:
    answer = signed_in().get(NEW, asked)

    assert answer.status_code == 400
    assert says in answer.content.decode()


def test_progress_runs_to_done_and_names_held_messages() -> None:
    first, second, _ = delivered()
    client = signed_in()
    path = client.post(NEW, {"message": [first.pk, second.pk], "reason": "x"}).headers["Location"]

    begun = client.get(path).context["page"]
    OutboundMessage.objects.filter(pk=first.pk).update(state=OutboundState.SENT)
    OutboundMessage.objects.filter(pk=second.pk).update(state=OutboundState.HELD)
    ended = client.get(path).context["page"]

    assert (begun.done, begun.total, begun.is_over) == (0, 2, False)
    assert (ended.done, ended.held, ended.is_over) == (1, 1, True)


def test_progress_is_over_for_messages_behind_a_held_one() -> None:
    first, second, third = delivered()
    client = signed_in()
    path = client.post(NEW, {"message": [second.pk, third.pk], "reason": "x"}).headers["Location"]
    OutboundMessage.objects.filter(pk=first.pk).update(state=OutboundState.HELD)

    answer = client.get(path)

    page = answer.context["page"]
    assert (page.done, page.held, page.blocked, page.is_over) == (0, 0, 2, True)
    assert "2 waiting: an earlier message for the same job is held." in answer.content.decode()
    assert "All done" not in answer.content.decode()


def test_replays_are_listed_with_who_and_why() -> None:
    first, *_ = delivered()
    client = signed_in()
    client.post(NEW, {"message": first.pk, "reason": "The seller lost it"})

    assert "Dana Dispatch: The seller lost it" in client.get("/board/replays/").content.decode()


@pytest.mark.parametrize(
    ("span", "sentence"),
    [
        (("0001-01-01T00:00", "9999-12-31T23:59"), "Choose a year from 2000 to 2199."),
        (("2026-01-01T00:00", "2026-02-02T00:00"), "Choose a period of at most 31 days."),
        (("2026-01-02T00:00", "2026-01-01T00:00"), "The end must be after the start."),
    ],
)
@pytest.mark.parametrize("page", [NEW, "/board/reconcile/"])
def test_span_is_bounded(span: tuple[str, str], sentence: str, page: str) -> None:
    fields = {"from_at": span[0], "to_at": span[1], "reason": "All of it", "record": ""}

    answer = signed_in().post(page, fields)

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert not Replay.objects.exists()


def test_dispatcher_of_other_areas_sees_no_reason() -> None:
    first, *_ = delivered()
    signed_in().post(NEW, {"message": first.pk, "reason": "The seller lost them"})
    replay = Replay.objects.get()
    Area.objects.create(name="Leeds", postcodes="LS")
    york = Area.objects.create(name="York", postcodes="YO")
    yara = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=yara, area=york)
    client = client_of(yara)

    assert client.get("/board/replays/").context["page"].lines == []
    assert client.get(f"/board/replays/{replay.pk}/").status_code == 404
    AreaLimit.objects.update(area=Area.objects.get(name="Leeds"))
    assert [line.pk for line in client.get("/board/replays/").context["page"].lines] == [replay.pk]
    assert client.get(f"/board/replays/{replay.pk}/").status_code == 200
