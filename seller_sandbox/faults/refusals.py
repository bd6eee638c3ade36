"""A message about a fault report that is refused with a 400 and changes nothing (D3, D4)."""

from seller_sandbox.faults.wire.responses import FaultResponseCode


class TicketRefused(Exception):
    """`message` says what is wrong and what to do."""

    def __init__(self, code: FaultResponseCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
