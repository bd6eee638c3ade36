"""SMS gateway and mail server of a test as the settings have them."""

from config.message_channels import CustomerMessageSettings, MailServer, SmsGateway


def ways(
    *channels: str, sms_url: str = "", mail_port: int = 0, language: str = "en-gb", phone: str = ""
) -> CustomerMessageSettings:
    return CustomerMessageSettings(
        channels=channels,
        sender_name="Northern Fibre",
        language=language,
        phone=phone,
        mail=MailServer("127.0.0.1", mail_port, "", "", False, False, "dispatch@example.org"),
        sms=SmsGateway(sms_url, {"to": "{number}", "body": {"text": "{text}"}}, False, "Bearer key"),
    )
