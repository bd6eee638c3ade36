"""Refusals of a message: which answer a breach of the contract gets."""

from collections.abc import Iterable

from seller_sandbox.endpoints.exchange import Answer, Problem, refuse
from seller_sandbox.messages.findings import Finding

# what conflicts with what is stored; everything else is a broken profile
CONFLICTS = {"afterClosure": "jobClosed", "afterCancellation": "jobCancelled"}


class Refusal(Exception):
    """Stops the reception of a message; nothing of its effect remains."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body["fault"]["faultcode"])
        self.answer = answer


def breaches_of(answer: Answer) -> list[dict[str, str]]:
    """A refused message broke the contract in what its fault names."""
    fault = answer.body["fault"]
    return [{**detail, "code": f"{fault['faultcode']}:{detail['code']}"} for detail in fault["detail"]]


def refusal_of(breaches: Iterable[Finding]) -> Refusal:
    """The answer of a strict seller, with all breaches at once; a conflict goes before them."""
    found = list(breaches)
    conflict = next((CONFLICTS[finding.code] for finding in found if finding.code in CONFLICTS), None)
    if conflict:
        problem = Problem("/providerJobId", conflict, "The job is over")
        return Refusal(refuse(409, conflict, "The job is over", [problem]))
    problems = [Problem(each.field, each.detail, f"{each.message} ({each.code})") for each in found]
    return Refusal(refuse(422, "invalidMessage", "The message breaks the contract", problems))
