"""Sentences in which jobs, engineers and messages are links; the sentence stays one text to translate. No queries."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from dispatch.models import JobEvent
from dispatch.states import Actor
from dispatch.sync_conflicts import RuleName
from engineers.current_scope import current_scope
from engineers.models import Engineer

# what the filters of the board call jobs outside every area, and those that need no skill
# (static/js/board/day/filters.js)
NO_CHOICE = "-"
# job numbers of ours (dispatch.jobs.new_provider_job_id) and message ids name themselves wherever they stand
JOB_NUMBER = r"J-[0-9A-Z]{4}-[0-9A-Z]{4}"
MESSAGE_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass(frozen=True)
class Link:
    """`text` as it stands in the sentence: it is the link's accessible name."""

    text: str
    url: str


def engineer_link(name: str) -> Link:
    """Of an engineer of whom only the name is known, as in an alarm or in a job's history."""
    return Link(name, f"{reverse('board:engineer-by-name')}?{urlencode({'name': name})}")


def engineer_links(*names: object) -> tuple[Link, ...]:
    """Of those that are named at all."""
    return tuple(engineer_link(str(name)) for name in names if name)


def engineer_page(engineer: Engineer) -> str:
    """For somebody limited to some areas by the name: one of another area has no page for them."""
    if current_scope().is_limited:
        return engineer_link(engineer.name).url
    return reverse("board:engineer", args=[engineer.pk])


def engineer_panel_url(staff_number: str, *, day: str = "") -> str:
    """The board of a day (ISO 8601, today without one) with this engineer's visits beside it, to be reassigned."""
    fields = {"day": day} if day else {}
    return f"{reverse('board:day')}?{urlencode({**fields, 'engineer': staff_number})}"


def job_link(job_id: str, *, title: str = "") -> Link:
    """`title` where the sentence names the job by its postcode."""
    return Link(title or job_id, reverse("board:job", args=[job_id]))


def event_links(event: JobEvent) -> tuple[Link, ...]:
    """The engineers whom an event of a job names; people of the office have no page."""
    facts = event.facts
    conflict = facts.get("conflict", {})
    return engineer_links(
        facts.get("engineer_name"),
        facts.get("instead_of"),
        conflict.get("who") if conflict.get("rule") != RuleName.CLOSED_BY_OFFICE else "",
        event.user.display_name if event.user and event.actor == Actor.ENGINEER else "",
    )


def message_link(message_id: str) -> Link:
    """To the message log, which finds the id in both directions."""
    return Link(message_id, f"{reverse('board:messages')}?{urlencode({'text': message_id})}")


def day_url(day: str, **filters: str) -> str:
    """The board of a day (ISO 8601); `filters`: `span` and what its filters know, where not empty."""
    chosen = {name: value for name, value in filters.items() if value}
    return f"{reverse('board:open-day')}?{urlencode({'day': day, **chosen})}"


def link_text(text: str, links: Iterable[Link] = ()) -> SafeString:
    """The text as HTML, all of it escaped, with a link wherever one of `links`, a job number or a message id stands as
    a word of its own; the longest name wins."""
    urls = {link.text: link.url for link in links if link.text}
    names = "|".join(re.escape(name) for name in sorted(urls, key=len, reverse=True))
    pattern = "|".join(filter(None, [names, JOB_NUMBER, MESSAGE_ID]))
    parts = re.split(rf"(?<![\w-])({pattern})(?![\w-])", text)
    linked = ((_anchor(part, urls) if index % 2 else part,) for index, part in enumerate(parts))
    return format_html_join("", "{}", linked)


def _anchor(name: str, urls: dict[str, str]) -> SafeString:
    url = urls.get(name)
    if url is None:
        link = job_link(name) if name.startswith("J-") else message_link(name)
        url = link.url
    return format_html('<a href="{}">{}</a>', url, name)
