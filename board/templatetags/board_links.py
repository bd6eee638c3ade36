"""`{{ line.text|linked:line.links }}` and `{{ line.by|engineer_link }}`: names inside sentences as links; and
`{{ line.phone|phone_url }}`: what a telephone dials."""

from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString

from board.links import Link, engineer_links, link_text
from engineers.phone_urls import phone_url

register = template.Library()
register.filter("phone_url", phone_url)


@register.filter
def linked(text: str, links: Iterable[Link] = ()) -> SafeString:
    """The sentence with its jobs, engineers and messages as links."""
    return link_text(str(text), links)


@register.filter
def engineer_link(name: str) -> SafeString:
    """A name that is an engineer's; empty for nobody."""
    return link_text(str(name), engineer_links(name))
