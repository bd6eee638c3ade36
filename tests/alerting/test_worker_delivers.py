"""A real worker process, with settings from its environment, delivers to a real mailbox and a real webhook."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from alerting import contact_records, escalation
from alerting.models import AlarmDelivery, Channel
from monitoring.task_queue import enqueue_by_name
from tests.alerting.contacts import SECRET, contact, disk_full
from tests.background.worker_process import eventually, running
from tests.servers import mailbox, webhook_receiver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_alarm_and_test_arrive_at_mailbox_and_webhook(tmp_path: Path) -> None:
    with mailbox.running() as mails, webhook_receiver.running() as receiver:
        anna = contact("Anna")
        contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
        variables = {
            "DEPLOYMENT": "test",
            "MAIL_SERVER_URL": f"smtp://127.0.0.1:{mails.port}",
            "MAIL_FROM": "dispatch@dispatch.example.org",
            "ALARM_WEBHOOK_SECRET": SECRET,
            "ALARM_WEBHOOK_HOSTS": "127.0.0.1",
            "WORKER_TASK_SECONDS": "30",
        }
        with running(tmp_path, **variables) as worker:
            worker.wait_until_up()
            disk_full()
            enqueue_by_name("alerting.delivery_tasks.notify_contacts")
            assert eventually(lambda: mails.got and receiver.got), worker.log.read_text()
            contact_records.send_test(contact=anna)
            assert eventually(lambda: len(mails.got) == 2), worker.log.read_text()
            assert eventually(lambda: not AlarmDelivery.objects.exclude(state="delivered").exists())

    assert [mail["Subject"] for mail in mails.got] == ["A disk is nearly full", "Test of an alarm contact"]
    ((headers, body),) = receiver.got
    stamp, signed = (part.split("=")[1] for part in headers["x-signature"].split(","))
    assert signed == hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    assert [alarm["kind"] for alarm in json.loads(body)["alarms"]] == ["disk_full"]
    assert escalation.create_due_deliveries() == 0
