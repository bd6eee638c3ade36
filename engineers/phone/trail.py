"""What an engineer is on the way to, carried in each address: a closure that is no success, or work while waiting."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from closures import codes
from dispatch.models import Job
from dispatch.problems import Problem
from engineers.phone.steps import url_of

STEPS_OF_A_PLACE = {
    "scan": "scan",
    "fsan": "scan",
    "serial_number": "scan",
    "provisioning": "provisioning",
    "arrive": "arrive",
}


@dataclass(frozen=True)
class Trail:
    """`closing` and `secondary` are codes; `meanwhile`: questions while the seller provisions.

    `after` is the question that was just left: behind it the open ones are offered, also those that may stay open.
    """

    closing: str = ""
    secondary: str = ""
    meanwhile: bool = False
    after: str = ""

    @property
    def query(self) -> str:
        """`?closing=CON&secondary=CON03`, empty when there is nothing to carry."""
        words = {"closing": self.closing, "secondary": self.secondary}
        words |= {"meanwhile": "1" if self.meanwhile else "", "after": self.after}
        said = {name: value for name, value in words.items() if value}
        return f"?{urlencode(said)}" if said else ""

    def url(self, job: Job, name: str, **words: str) -> str:
        """A page of the job that goes on towards the same end."""
        return f"{url_of(job, name, **words)}{self.query}"

    @property
    def words(self) -> str:
        """The closure in the trade's words; empty on the way to a success."""
        return codes.find(self.closing).in_trade_words if self.closing else ""


NOWHERE_ELSE = Trail()


def trail_of(query: QueryDict) -> Trail:
    return Trail(
        closing=query.get("closing", "")[:40],
        secondary=query.get("secondary", "")[:40],
        meanwhile=query.get("meanwhile") == "1",
        after=query.get("after", "")[:40],
    )


@dataclass(frozen=True)
class ProblemLine:
    """A sentence and the step that mends it; `url` is empty where there is no other page to go to."""

    message: str
    url: str
    blocks: bool


def problem_url(job: Job, where: str, closing_code: str = "", *, secondary: str = "") -> str:
    """The page of the step that mends a problem; empty for what is mended on the page that shows it."""
    trail = Trail(closing=closing_code, secondary=secondary)
    if where.startswith("question:"):
        return trail.url(job, "question", code=where.removeprefix("question:"))
    if where == "closure":
        return url_of(job, "cant_complete")
    if where == "secondary":
        words = f"?{urlencode({'code': closing_code})}" if closing_code else ""
        return f"{url_of(job, 'cant_complete')}{words}"
    step = STEPS_OF_A_PLACE.get(where)
    return trail.url(job, step) if step else ""


def problem_lines(job: Job, problems: list[Problem], trail: Trail) -> list[ProblemLine]:
    return [
        ProblemLine(
            one.message, problem_url(job, one.where, trail.closing, secondary=trail.secondary), one.blocks
        )
        for one in problems
    ]


def first_to_mend(lines: list[ProblemLine]) -> str:
    """The page of the first problem that has one; empty when all are mended where they are shown."""
    return next((line.url for line in lines if line.blocks and line.url), "")
