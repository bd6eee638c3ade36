"""One POST to a webhook or an SMS gateway: no redirect, no proxy of the environment, a short time limit."""

import requests

from alerting.channels.channel_errors import AlarmNotDelivered

CONNECT_SECONDS, READ_SECONDS = 3, 5
REDIRECT, BAD_REQUEST, SERVER_ERROR = 300, 400, 500
# a receiver that is busy, or slow
RETRIED_STATUS = frozenset({408, 425, 429})


def post(url: str, body: bytes, headers: dict[str, str]) -> None:
    """Raises AlarmNotDelivered for anything but an answer of 2xx."""
    try:
        with requests.Session() as session:
            session.trust_env = False
            answer = session.post(
                url,
                data=body,
                headers=headers,
                allow_redirects=False,
                timeout=(CONNECT_SECONDS, READ_SECONDS),
                # its body is of no interest, and may have no end
                stream=True,
            )
            status = answer.status_code
            answer.close()
    except (requests.RequestException, OSError, ValueError) as problem:
        raise AlarmNotDelivered(type(problem).__name__) from None
    if status >= REDIRECT:
        is_permanent = status < SERVER_ERROR and status not in RETRIED_STATUS
        raise AlarmNotDelivered(f"HTTP status {status}", is_permanent=is_permanent)
