"""Of a masked message stays what says nothing about a person; whatever else came is hidden, known or not."""

from typing import Any

import pytest

from background import erasure
from dispatch.models import Job, ProvisioningResult
from dispatch.states import JobState
from seller_link.message_log import HIDDEN, mask_personal_data
from seller_link.models import InboundMessage, OutboundMessage, OutboundState
from tests import make
from tests.seller_link.inbox import say
from tests.seller_link.wire import message

UNKNOWN: list[Any] = ["Pat", 7700900456, True, 53.81, ["Pat"], {"name": "Pat"}, [{"a": "Pat"}]]


@pytest.mark.parametrize("value", UNKNOWN, ids=repr)
@pytest.mark.parametrize("where", ["siteContact", "property", "site", "fault", "result", "reason", "ont"])
def test_unknown_member_is_hidden(where: str, value: Any) -> None:
    masked = mask_personal_data({where: {"alternative": value}, "alternative": value})

    assert masked[where] in (HIDDEN, {"alternative": HIDDEN})
    assert masked["alternative"] == HIDDEN


@pytest.mark.parametrize("value", ["Pat", {"name": "Pat"}], ids=repr)
def test_value_of_another_shape_is_hidden(value: Any) -> None:
    masked = mask_personal_data({"ont": value, "engineer": value, "questions_answers": [value]})

    assert "Pat" not in str(masked)


@pytest.mark.parametrize("text", ["7700900456", '"Pat"', "Pat", '["Pat"]'])
def test_text_that_is_no_object_is_hidden(text: str) -> None:
    assert mask_personal_data(text) in (HIDDEN, [HIDDEN])


def test_what_the_seller_must_be_able_to_prove_stays() -> None:
    pack = message("createJob")

    masked = mask_personal_data(pack)

    harmless = ("messageId", "sentAt", "sellerJobId", "jobType", "orderReferences", "product", "appointment")
    assert {name: masked[name] for name in harmless} == {name: pack[name] for name in harmless}
    assert masked["property"]["flags"] == pack["property"]["flags"]
    assert masked["property"]["uprn"] == masked["siteContact"] == HIDDEN


def test_erasure_takes_the_details_of_a_result_from_the_message_too(db: None) -> None:
    say("createJob", message("createJob", siteContact={"name": "Pat Quibble", "phone": "07700 900456"}))
    job = Job.objects.get()
    make.walk(job, at_state=JobState.ON_SITE, to=make.engineer())
    make.scan(job)
    result = {"id": 1, "success": True, "details": "Planned with Pat Quibble"}
    assert say("notifyJob", message("notifyJob", providerJobId=str(job), result=result)).status == 200
    make.answer_all(job)
    make.close(job)
    OutboundMessage.objects.update(state=OutboundState.SENT)

    erasure.erase_customer("07700 900456")

    assert ProvisioningResult.objects.get().details == ""
    assert "Quibble" not in str(list(InboundMessage.objects.values_list("body", flat=True)))
