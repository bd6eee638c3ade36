"""One id from the proxy to the seller: what a request caused can be found in the logs of every process."""

import pytest

from seller_link.models import OutboundMessage
from seller_link.outbox_queue import claim_due
from tests import make
from tests.board.office import assign, signed_in

PROXY_ID = "5f0c0ffee5f0c0ffee5f0c0ffee5f0c0"


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_message_to_the_seller_carries_the_id() -> None:
    dispatcher, job, engineer = signed_in(), make.job(), make.engineer()
    dispatcher.defaults["HTTP_X_REQUEST_ID"] = PROXY_ID

    assert assign(dispatcher, job, engineer).status_code == 200

    assert OutboundMessage.objects.get().request_id == PROXY_ID
    assert [claim.request_id for claim in claim_due(5)] == [PROXY_ID]
