"""SMS gateway and mail server of a test as the settings have them."""

from pytest_django import Settings

from config.message_channels import CustomerMessageSettings, SmsGateway
from tests.servers.mailbox import server_at


def set_up_ways(
    settings: Settings,
    *channels: str,
    sms_url: str = "",
    mail_port: int = 0,
    language: str = "en-gb",
    phone: str = "",
) -> None:
    """Without channels: switched off."""
    settings.CUSTOMER_MESSAGES = CustomerMessageSettings(
        channels=channels, sender_name="Northern Fibre", language=language, phone=phone
    )
    settings.MAIL_SERVER = server_at(mail_port)
    settings.SMS_GATEWAY = SmsGateway(
        sms_url, {"to": "{number}", "body": {"text": "{text}"}}, False, "Bearer key"
    )
