"""What is wrong with a message: all of it at once, each with the element's path and a remedy."""

from dataclasses import dataclass
from enum import StrEnum


class FaultCode(StrEnum):
    """The four of SOAP 1.1, section 4.4.1."""

    CLIENT = "Client"
    SERVER = "Server"
    VERSION_MISMATCH = "VersionMismatch"
    MUST_UNDERSTAND = "MustUnderstand"


@dataclass(frozen=True)
class MessageProblem:
    """`path` leads from the root to the element, by local names: orderRequest/message/sentAt; "/" is the whole."""

    path: str
    message: str
    remedy: str


class NotXml(Exception):
    """The bytes are not a document that we read; the text says why and what to send instead."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}. {remedy}")
        self.problems = (MessageProblem("/", message, remedy),)
        self.code = FaultCode.CLIENT


class InvalidMessage(Exception):
    """XML, and not a message of the interface; `problems` has at least one element."""

    def __init__(self, *problems: MessageProblem, code: FaultCode = FaultCode.CLIENT) -> None:
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in problems))
        self.problems = problems
        self.code = code
