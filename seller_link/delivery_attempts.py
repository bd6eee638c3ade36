"""The attempts to deliver messages, for pages: one that fails for weeks has thousands, each with a long answer."""

from collections.abc import Collection

from django.db.models import Count, Prefetch, prefetch_related_objects

from seller_link.models import DeliveryAttempt, OutboundMessage

MOST_ATTEMPTS = 20


def count_attempts(messages: Collection[OutboundMessage]) -> None:
    """Sets `attempt_count` of each; one query."""
    tried = DeliveryAttempt.objects.filter(message__in=[message.pk for message in messages]).order_by()
    counts = dict(tried.values_list("message").annotate(number=Count("pk")))
    for message in messages:
        message.attempt_count = counts.get(message.pk, 0)


def load_attempts(messages: Collection[OutboundMessage], *, with_answers: bool = False) -> None:
    """Sets `attempt_count` and `newest_attempts` of each, the newest last; one query, and one more where there are
    older ones. An answer that was left out is read when somebody asks for it."""
    newest = DeliveryAttempt.objects.order_by("-started_at", "-pk")
    wanted = newest if with_answers else newest.defer("response")
    fetched = Prefetch("delivery_attempts", wanted[:MOST_ATTEMPTS], to_attr="newest_attempts")
    prefetch_related_objects(list(messages), fetched)
    for message in messages:
        message.newest_attempts.reverse()
        message.attempt_count = len(message.newest_attempts)
    if many := [message for message in messages if message.attempt_count == MOST_ATTEMPTS]:
        count_attempts(many)
