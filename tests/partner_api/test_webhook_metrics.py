"""Webhooks in figures."""

from datetime import timedelta

import pytest

from dispatch.states import JobState
from monitoring.metrics import render_metrics
from partner_api import webhook_events
from partner_api.models import WebhookDelivery, WebhookState
from partner_api.webhook_metrics import WebhookCollector
from partner_api.webhook_subscriptions import pause
from tests import make
from tests.monitoring.test_web_metrics import samples
from tests.partner_api.webhooks import subscription

pytestmark = pytest.mark.django_db(transaction=True)


def figures() -> dict[str, float]:
    return samples(render_metrics(WebhookCollector()).decode())


def test_deliveries_that_wait_or_were_given_up_are_measured() -> None:
    hook = subscription()
    name = f"{hook.name} ({hook.pk})"
    make.job(at_state=JobState.ASSIGNED)
    make.job(at_state=JobState.ASSIGNED)
    webhook_events.collect_job_events()
    first, *others = WebhookDelivery.objects.order_by("pk")
    WebhookDelivery.objects.filter(pk=first.pk).update(state=WebhookState.FAILED)
    WebhookDelivery.objects.filter(pk=others[0].pk).update(
        # as if it had been sent again an hour ago, whenever it was made
        created_at=make.now() - timedelta(days=9),
        give_up_at=others[0].give_up_at - timedelta(hours=1),
    )

    found = figures()

    assert (found[f"webhook_deliveries failed {name}"], found[f"webhook_deliveries ready {name}"]) == (
        1,
        len(others),
    )
    assert 3600 <= found[f"webhook_oldest_seconds {name}"] < 3660


def test_paused_webhook_waits_on_purpose() -> None:
    pause(pk=subscription().pk, by=None)
    make.job(at_state=JobState.ASSIGNED)
    webhook_events.collect_job_events()

    assert figures() == {}
