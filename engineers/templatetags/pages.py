"""Where a page's own forms lead back to."""

from django import template

from engineers import input_values

register = template.Library()
register.filter("page_of", input_values.page_of)
