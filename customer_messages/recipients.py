"""Where a customer can be reached: a mobile number or a mail address that can be one."""

import re
from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from customer_messages.models import MessageChannel
from dispatch.models import Job
from engineers.phone_urls import without_trunk_zero

# with a country code, or as it is dialled in the country
NUMBER = re.compile(r"\+?[0-9]{7,15}")
PUNCTUATION = re.compile(r"[\s().\-/]")


def recipient_of(job: Job, channels: Sequence[str]) -> tuple[str, str] | None:
    """(channel, address) by the first channel for which the job pack has one."""
    for channel in channels:
        address = mobile_number(job.contact_phone) if channel == MessageChannel.SMS else mail_address(job)
        if address:
            return channel, address
    return None


def mobile_number(text: str) -> str:
    """Digits only, and the plus sign; empty for what is no number."""
    number = PUNCTUATION.sub("", without_trunk_zero(text))
    return number if NUMBER.fullmatch(number) else ""


def mail_address(job: Job) -> str:
    """Empty for what is no address."""
    address = job.contact_email.strip()
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address if len(address) <= 254 else ""
