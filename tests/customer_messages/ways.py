"""SMS gateway and mail server of a test as the settings have them."""

from config.message_channels import CustomerMessageSettings, SmsGateway
from tests.servers.mailbox import server_at


def ways(
    *channels: str, sms_url: str = "", mail_port: int = 0, language: str = "en-gb", phone: str = ""
) -> CustomerMessageSettings:
    return CustomerMessageSettings(
        channels=channels,
        sender_name="Northern Fibre",
        language=language,
        phone=phone,
        mail=server_at(mail_port),
        sms=SmsGateway(sms_url, {"to": "{number}", "body": {"text": "{text}"}}, False, "Bearer key"),
    )
