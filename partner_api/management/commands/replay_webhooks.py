"""manage.py replay_webhooks: sends deliveries of one webhook again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engineers.input_values import read_instant
from partner_api import webhook_subscriptions
from partner_api.models import WebhookDelivery, WebhookState, WebhookSubscription


class Command(BaseCommand):
    help = "Send deliveries of a webhook again: those that were given up, or all of a time"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of the webhook")
        parser.add_argument("--from", dest="from_at", help="created at this time or later, with its offset")
        parser.add_argument("--to", dest="to_at", help="created at this time or earlier")
        parser.add_argument("--all", action="store_true", help="also those that were delivered")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = WebhookSubscription.objects.filter(deleted_at=None, name__iexact=options["name"])
        if len(found) != 1:
            raise CommandError(f"{options['name']}: no webhook, or more than one, has this name")
        deliveries = WebhookDelivery.objects.all()
        if not options["all"]:
            deliveries = deliveries.filter(state=WebhookState.FAILED)
        for name, lookup in (("from_at", "created_at__gte"), ("to_at", "created_at__lte")):
            if options[name]:
                deliveries = deliveries.filter(**{lookup: _moment(options[name])})
        number = webhook_subscriptions.replay(subscription=found[0], deliveries=deliveries, by=None)
        self.stdout.write(f"{number} deliveries are sent again")


def _moment(text: str) -> Any:
    moment = read_instant(text)
    if moment is None:
        raise CommandError(f"{text}: write a time with its offset, for example 2026-11-23T08:00:00+00:00")
    return moment
