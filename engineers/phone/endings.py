"""How a job ends: the codes that fit, and the last page before it is closed."""

from dataclasses import dataclass
from urllib.parse import urlencode

from closures import closing, codes
from closures.closing import Ending
from closures.codes import ClosureCode, success_of
from closures.models import Photo, PhotoQuerySet
from dispatch.models import Job
from dispatch.problems import Problem
from dispatch.states import JobState
from engineers.phone.checklist import Option, asked, given_answers
from engineers.phone.pages import Head, head_of
from engineers.phone.steps import url_of
from engineers.phone.trail import NOWHERE_ELSE, ProblemLine, Trail, first_to_mend, problem_lines


@dataclass(frozen=True)
class CodeLine:
    code: str
    words: str
    description: str
    url: str


@dataclass(frozen=True)
class CantCompletePage:
    """First the closures of the job's type; with one chosen that has secondary codes, those."""

    head: Head
    query: str
    chosen: str
    lines: list[CodeLine]
    arrive_url: str
    all_url: str
    without_secondary_url: str


def cant_complete_page(job: Job, *, code: str = "", query: str = "") -> CantCompletePage:
    chosen = _chosen(job, code)
    own_url = url_of(job, "cant_complete")
    lines = _secondary_lines(job, chosen) if chosen else _code_lines(job, query)
    optional = chosen is not None and not chosen.secondary_required
    return CantCompletePage(
        head=head_of(job, back=own_url if chosen else ""),
        query=query,
        chosen=chosen.in_trade_words if chosen else "",
        lines=lines,
        arrive_url="" if job.state == JobState.ON_SITE else url_of(job, "arrive"),
        all_url=own_url,
        without_secondary_url=Trail(closing=chosen.code).url(job, "next") if chosen and optional else "",
    )


def _chosen(job: Job, code: str) -> ClosureCode | None:
    """The chosen closure when a second choice belongs to it."""
    fitting = (one for one in codes.codes_for(job.job_type) if one.code == code and one.secondaries)
    return next(fitting, None)


def _code_lines(job: Job, query: str) -> list[CodeLine]:
    found = codes.matching(codes.failures_for(job.job_type), query)
    return [CodeLine(one.code, one.in_trade_words, one.description, _code_url(job, one)) for one in found]


def _code_url(job: Job, code: ClosureCode) -> str:
    if code.secondaries:
        return f"{url_of(job, 'cant_complete')}?{urlencode({'code': code.code})}"
    return Trail(closing=code.code).url(job, "next")


def _secondary_lines(job: Job, code: ClosureCode) -> list[CodeLine]:
    trails = [(one, Trail(closing=code.code, secondary=one.code)) for one in code.secondaries]
    return [CodeLine(one.code, one.description, "", trail.url(job, "next")) for one, trail in trails]


@dataclass(frozen=True)
class ClosePage:
    """Exactly what the seller will be told, then the last button."""

    head: Head
    code: str
    words: str
    description: str
    secondaries: list[Option]
    secondary_required: bool
    remarks: str
    answers: int
    photos_stored: int
    photos_waiting: int
    problems: list[ProblemLine]
    is_clear: bool
    mend_url: str
    change_url: str
    done_url: str


def close_page(
    job: Job, *, ending: Ending, problems: list[Problem] | None = None, is_refused: bool = False
) -> ClosePage:
    code = codes.find(ending.code)
    trail = NOWHERE_ELSE if code.succeeds else Trail(ending.code, ending.secondary_code)
    found = problems if problems is not None else closing.preview_close(job=job, ending=ending)
    photos = _photos_told(job, ending.code)
    lines = problem_lines(job, found, trail)
    return ClosePage(
        head=head_of(job, trail=trail, problems=found if is_refused else [], back=_back(job, ending)),
        code=ending.code,
        words=code.in_trade_words,
        description=code.description,
        secondaries=[
            Option(one.code, one.description, one.code == ending.secondary_code) for one in code.secondaries
        ],
        secondary_required=code.secondary_required,
        remarks=ending.remarks,
        answers=_answers_told(job, ending.code),
        photos_stored=photos.stored().count(),
        photos_waiting=photos.missing().count(),
        problems=[] if is_refused else lines,
        is_clear=not any(one.blocks for one in found if one.where not in {"secondary", "remarks"}),
        mend_url=first_to_mend(lines),
        change_url=url_of(job, "review") if code.succeeds else url_of(job, "cant_complete"),
        done_url=url_of(job, "job"),
    )


def _back(job: Job, ending: Ending) -> str:
    if ending.code == success_of(job.job_type).code:
        return url_of(job, "review")
    return url_of(job, "cant_complete")


def _answers_told(job: Job, code: str) -> int:
    given = given_answers(job)
    return sum(question.code in given for question in asked(job, Trail(closing=code)))


def _photos_told(job: Job, code: str) -> PhotoQuerySet:
    """Those that an answer names; a picture that was refused on the way is told to nobody."""
    given = given_answers(job)
    named = [
        given[one.code].value
        for one in asked(job, Trail(closing=code))
        if one.is_picture and one.code in given
    ]
    return Photo.objects.filter(pk__in=[photo_id for ids in named for photo_id in ids])
