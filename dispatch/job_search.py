"""Finding jobs by what a caller may know: by their keywords (dispatch.models.search), which are indexed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Q

from dispatch.models import Job, JobSearchText, job_keywords, national_number, split_keywords
from dispatch.models.search import MAX_KEYWORD_LENGTH
from dispatch.states import ENDED_STATES, JobState
from engineers.current_scope import current_scope
from engineers.shifts import day_span, local_time

MIN_CHARACTERS = 2
# of a search with commas, and of one part of it
MAX_PARTS, MAX_KEYWORDS = 10, 8
# shorter ones are looked for at the beginning of keywords only
SHORTEST_WITHIN = 3
DIALLED = ("+", "0", "(")
TELEPHONE = re.compile(r"[\d\s+()./-]+")
# PostgreSQL: the newest jobs, which are read before the index is asked, and how many the index may then name
NEWEST, MAX_MATCHES = 10_000, 2_000


@dataclass(frozen=True)
class SearchTerms:
    """What was typed: a job is found that has all keywords of one of the alternatives."""

    alternatives: list[list[str]]

    def __bool__(self) -> bool:
        return bool(self.alternatives)


def read_terms(text: str) -> SearchTerms:
    """Parts between commas are alternatives, as `LS6, B-1001`; what may be a telephone number is read as one, too."""
    found: list[list[str]] = []
    for part in dict.fromkeys(text.split(",")[:MAX_PARTS]):
        keywords = [keyword for keyword in split_keywords(part) if len(keyword) >= MIN_CHARACTERS]
        if TELEPHONE.fullmatch(part) and len(national_number(part)) >= MIN_CHARACTERS:
            found.append([national_number(part)])
            # a country or area code by itself is in most jobs
            keywords = ["".join(keywords)] if part.strip().startswith(DIALLED) else keywords
        found.append(keywords)
    return SearchTerms([_as_stored(keywords) for keywords in found if keywords])


def _as_stored(keywords: Sequence[str]) -> list[str]:
    """Each once, and of a long one the beginning that is in the index."""
    return list(dict.fromkeys(keyword[:MAX_KEYWORD_LENGTH] for keyword in keywords))[:MAX_KEYWORDS]


def refresh_keywords(job: Job) -> None:
    """After a change of anything that `job_keywords` reads."""
    JobSearchText.objects.filter(job=job).update(keywords=job_keywords(job, job.scans.all()))


def find_jobs(terms: SearchTerms, *, now: datetime, limit: int) -> list[Job]:
    """At most `limit` jobs: first those whose window begins yesterday to tomorrow, the nearest to `now` first, then
    the others, the newest window first; in each half open ones before ended ones.

    A keyword is found by its beginning; in the jobs of these three days by any part of three characters.
    """
    if not terms:
        return []
    keys = [found.key for found in sorted(_near_jobs(terms, now), key=lambda found: found.order(now))]
    if len(keys) < limit:
        # of those of other areas nobody knows before they are read
        most = MAX_MATCHES if current_scope().is_limited else limit + len(keys)
        further = [key for key in _indexed_keys(terms, most) if key not in set(keys)]
        others = (
            Job.objects.in_scope()
            .filter(pk__in=further)
            .only("state", "window_start")
            .order_by("-window_start", "pk")
        )
        keys += [job.pk for job in sorted(others, key=lambda job: job.state in ENDED_STATES)]
    jobs = Job.objects.in_bulk(keys[:limit])
    return [jobs[key] for key in keys[:limit] if key in jobs]


class _NearJob(NamedTuple):
    """Of a job near `now` what its place in the list depends on: there may be a thousand."""

    key: int
    state: str
    start: datetime
    end: datetime

    def order(self, now: datetime) -> tuple[bool, timedelta, datetime]:
        """How far the window is away counts; nothing while it lasts."""
        return self.state in ENDED_STATES, max(self.start - now, now - self.end, timedelta()), self.start


def _near_jobs(terms: SearchTerms, now: datetime) -> list[_NearJob]:
    today, one_day = day_span(local_time(now).date()), timedelta(days=1)
    wanted = Q(pk=None)
    for keywords in terms.alternatives:
        wanted |= Q(*(("search_text__keywords__contains", _within(keyword)) for keyword in keywords))
    # the index over windows begins with the state
    near = Job.objects.filter(state__in=JobState.values, window_start__gte=today.start - one_day).order_by()
    found = near.in_scope().filter(wanted, window_start__lt=today.end + one_day)
    return [_NearJob(*row) for row in found.values_list("pk", "state", "window_start", "window_end")]


def _within(keyword: str) -> str:
    return keyword if len(keyword) >= SHORTEST_WITHIN else f" {keyword}"


def _indexed_keys(terms: SearchTerms, limit: int) -> list[int]:
    """Keys of the jobs that were received last, newest first."""
    if connection.vendor == "postgresql":
        newest = _newest_keys(terms, limit)
        return newest if len(newest) == limit else _gin_keys(terms, limit)
    return _fts_keys(terms, limit)


def _fts_keys(terms: SearchTerms, limit: int) -> list[int]:
    """FTS5 reads the rows backwards and stops at the limit, however many there are."""
    every = [" AND ".join(f'"{keyword}"*' for keyword in keywords) for keywords in terms.alternatives]
    wanted = " OR ".join(f"({all_of})" for all_of in every)
    return _keys(
        "SELECT job_id FROM dispatch_job_keywords JOIN dispatch_jobsearchtext ON id = dispatch_job_keywords.rowid "
        "WHERE dispatch_job_keywords MATCH %s ORDER BY dispatch_job_keywords.rowid DESC LIMIT %s",
        [wanted, limit],
    )


def _newest_keys(terms: SearchTerms, limit: int) -> list[int]:
    """GIN gathers all rows before it names one, which takes half a second for a keyword of most jobs. Such a keyword is
    in enough of the newest jobs."""
    every = [" AND ".join(["keywords LIKE %s"] * len(keywords)) for keywords in terms.alternatives]
    wanted = " OR ".join(f"({all_of})" for all_of in every)
    patterns = [f"% {keyword}%" for keywords in terms.alternatives for keyword in keywords]
    newest = "SELECT id, job_id, keywords FROM dispatch_jobsearchtext ORDER BY id DESC LIMIT %s"
    statement = f"SELECT job_id FROM ({newest}) newest WHERE {wanted} ORDER BY id DESC LIMIT %s"  # noqa: S608  # placeholders
    return _keys(statement, [NEWEST, *patterns, limit])


def _gin_keys(terms: SearchTerms, limit: int) -> list[int]:
    every = [" & ".join(f"'{keyword}':*" for keyword in keywords) for keywords in terms.alternatives]
    wanted = " | ".join(f"({all_of})" for all_of in every)
    return _keys(
        "SELECT job_id FROM (SELECT id, job_id FROM dispatch_jobsearchtext "
        "WHERE array_to_tsvector(string_to_array(btrim(keywords), ' ')) @@ %s::tsquery LIMIT %s) found "
        "ORDER BY id DESC LIMIT %s",
        [wanted, MAX_MATCHES, limit],
    )


def _keys(statement: str, parameters: Sequence[str | int]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [key for (key,) in cursor.fetchall()]
