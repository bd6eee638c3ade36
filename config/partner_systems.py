"""Settings of what we send to the partner's other systems."""

from dataclasses import dataclass

from config.environment import env_bool, env_float, env_int


@dataclass(frozen=True)
class WebhookSettings:
    """`seconds`: the limit of a whole call. `private_addresses`: may an address behind our firewall be called?"""

    seconds: float
    retry_hours: int
    private_addresses: bool


def webhook_settings() -> WebhookSettings:
    return WebhookSettings(
        seconds=env_float("WEBHOOK_SECONDS", 10, lowest=0.5),
        retry_hours=env_int("WEBHOOK_RETRY_HOURS", 72, lowest=1, highest=720),
        private_addresses=env_bool("WEBHOOK_PRIVATE_ADDRESSES", default=False),
    )
