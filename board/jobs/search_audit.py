"""Who saw which customers and engineers in the search, for the audit.

What was searched for is not kept: it may be a customer's name or telephone number, and no erasure would find it. The
page of results leaves a line with the numbers of the jobs and engineers that it showed, once an hour for the same ones.
A list leaves one an hour with its name: which jobs were in it, their histories say. What is shown while somebody types
changes with each letter: it leaves one line an hour that says so, and whoever opens one of the results leaves the line
of that page.
"""

from board.jobs.search import SearchResult
from engineers.audit import SEARCH_VIEWED, record_look
from engineers.models import User

# subjects of the lines
RESULTS, SUGGESTIONS = "search", "suggestions"


def record_results(user: User, page: SearchResult) -> None:
    """Nothing where nobody was shown."""
    jobs = [line.job_id for line in page.lines]
    engineers = [engineer.staff_number for engineer in page.engineers]
    if page.list_name and jobs:
        record_look(user, SEARCH_VIEWED, page.list_name)
    elif jobs or engineers:
        facts = {"engineers": engineers, "jobs": jobs}
        record_look(user, SEARCH_VIEWED, RESULTS, {name: found for name, found in facts.items() if found})


def record_suggestions(user: User, page: SearchResult) -> None:
    """Nothing where nobody was shown."""
    if page.lines or page.engineers:
        record_look(user, SEARCH_VIEWED, SUGGESTIONS)
