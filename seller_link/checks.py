"""What `manage.py check --deploy` refuses of the certificates. Other commands start all the same: check_link and a
backup are wanted most when they are wrong. A file that cannot be read is refused by the settings, and
reported by certificate_expiry.py."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from seller_link import certificate_files


@register("settings", deploy=True)
def certificates_can_be_used(**_kwargs: Any) -> list[CheckMessage]:
    return [
        Error(text, id="seller_link.E001")
        for text in (*certificate_files.client_problems(), *certificate_files.server_problems())
    ]
