"""The expected no to a message."""

from seller_sandbox.endpoints.exchange import Answer


class Refusal(Exception):
    """Stops the reception of a message; nothing of its effect remains."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body["fault"]["faultcode"])
        self.answer = answer
