"""Whether a message names us: it may have been meant for another seller (field-names.md, header)."""

from django.conf import settings

from seller_sandbox.soap.problems import InvalidMessage, MessageProblem


def check(named: str, *, message: str) -> None:
    """`named` is the sellerIdentifier of a message with the order header, `message` the message's element name.

    Raises InvalidMessage.
    """
    if named == settings.SELLER_IDENTIFIER:
        return
    raise InvalidMessage(
        MessageProblem(
            f"{message}/seller/sellerIdentifier",
            f"{named[:100]} is not this seller",
            f"Send {settings.SELLER_IDENTIFIER}, or send the message to the seller that it is meant for.",
        )
    )
