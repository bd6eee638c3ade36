"""What the partner should answer to messages about a job."""

from seller_sandbox.messages.expectations import ACCEPTED, Expected

# a cancellation may come too late
USUAL_ANSWERS = {"createJob": ACCEPTED, "notifyJob": ACCEPTED}


def invalid(field: str) -> Expected:
    """A refusal that names this member."""
    return Expected(422, "invalidMessage", field)
