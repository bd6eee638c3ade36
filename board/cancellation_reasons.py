"""Why the seller cancelled a job, in words: the codes of a cancelJob (job-messages.md), whose list is open."""

from django.utils.translation import gettext_lazy

REASONS = {
    "CUSTOMER": gettext_lazy("At the customer's request"),
    "BUYER": gettext_lazy("At the buyer's request"),
    "SELLER": gettext_lazy("The seller's decision"),
    "AMENDED": gettext_lazy("Order amended"),
    "APPOINTMENT": gettext_lazy("Appointment cancelled"),
    "MISSED": gettext_lazy("Appointment missed"),
    "CABINET": gettext_lazy("Cabinet not ready"),
    "CEASE": gettext_lazy("Losing provider's date moved"),
}


def cancellation_reason(code: str) -> str:
    """In the reader's language; a code that nobody knows stays as it came."""
    return str(REASONS.get(code, code))
