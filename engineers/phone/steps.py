"""What comes next for an engineer: one function says it, and every page and button follows it."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from closures import answers, closing, editions, flow, rules
from closures.closing import Ending
from closures.codes import success_of
from closures.matrix import Question
from dispatch import scans
from dispatch.models import Job
from dispatch.states import JobState, JobType


@dataclass(frozen=True)
class Step:
    """`name` is stable for programs, `label` is what the one large button says."""

    name: str
    label: str
    url: str


def url_of(job: Job, name: str, **words: str) -> str:
    return reverse(f"phone:{name}", kwargs={"job_id": job.provider_job_id, **words})


def question_url(job: Job, question: Question, *, closing_code: str = "") -> str:
    url = url_of(job, "question", code=question.code)
    return f"{url}?{urlencode({'closing': closing_code})}" if closing_code else url


def next_step(job: Job) -> Step | None:
    """The next thing to do; None when nobody waits for this engineer any more."""
    if job.state == JobState.ASSIGNED:
        return Step("travel", _("On my way"), url_of(job, "travel"))
    if job.state == JobState.EN_ROUTE:
        return Step("arrive", _("I'm on site"), url_of(job, "arrive"))
    if job.state == JobState.ON_SITE:
        return _on_site_step(job)
    return None


def _on_site_step(job: Job) -> Step:
    given = answers.given(job)
    safety = _next_question(job, given, stage="safety")
    if safety:
        return Step("question", _("Safety questions"), question_url(job, safety))
    device = _device_step(job, given)
    if device:
        return device
    work = _next_question(job, given, stage="work")
    if work:
        return Step("question", _("Questions and photos"), question_url(job, work))
    return Step("review", _("Review and close"), url_of(job, "review"))


def _device_step(job: Job, given: dict[str, object]) -> Step | None:
    if not job.has_ont_scan:
        return None
    if scans.newest_scan(job) is None:
        return (
            None if _is_scan_passed_over(job, given) else Step("scan", _("Scan the ONT"), url_of(job, "scan"))
        )
    if scans.is_provisioned(job):
        return None
    return Step("provisioning", _("Wait for provisioning"), url_of(job, "provisioning"))


def _is_scan_passed_over(job: Job, given: dict[str, object]) -> bool:
    """A revisit may leave the ONT alone: whoever went on to the work has decided so."""
    work = flow.asked(editions.of(job), job_type=job.job_type, answers=given, stages=("work",))
    return job.job_type == JobType.REVISIT and any(question.code in given for question in work)


def _next_question(job: Job, given: dict[str, object], *, stage: str) -> Question | None:
    """A mandatory one: what may stay open is offered on the way (`following`), and never asked twice."""
    open_ones = flow.missing(editions.of(job), job_type=job.job_type, answers=given, stages=(stage,))
    return open_ones[0] if open_ones else None


def following(job: Job, *, after: str, closing_code: str = "") -> Question | None:
    """The next open question behind this one in its stage, optional ones too."""
    code = closing_code or success_of(job.job_type).code
    found = closing.finding(job=job, ending=Ending(code=code))
    questions = rules.questions(found)
    place = next((at for at, question in enumerate(questions) if question.code == after), None)
    if place is None:
        return None
    rest = [one for one in questions[place + 1 :] if one.stage == questions[place].stage]
    return next((one for one in rest if one.code not in found.answers), None)


def first_work_question(job: Job) -> Question | None:
    return _next_question(job, answers.given(job), stage="work")


def next_for_closing(job: Job, *, code: str) -> Step:
    """On the way to a closure that is no success: its own questions, then the last page."""
    found = closing.finding(job=job, ending=Ending(code=code))
    for question in rules.questions(found):
        if question.code not in found.answers and question.mandatory:
            return Step("question", _("Next question"), question_url(job, question, closing_code=code))
    url = f"{url_of(job, 'close')}?{urlencode({'code': code})}"
    return Step("close", _("Review and close"), url)


@dataclass(frozen=True)
class Progress:
    """How far the checklist is: `3 of 21`."""

    done: int
    total: int


def progress(job: Job, *, closing_code: str = "") -> Progress:
    code = closing_code or success_of(job.job_type).code
    found = closing.finding(job=job, ending=Ending(code=code))
    asked = rules.questions(found)
    return Progress(sum(question.code in found.answers for question in asked), len(asked))
