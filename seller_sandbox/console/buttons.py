"""Turns an action into the view of a button: it reports what it did, and goes back to the page."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from seller_sandbox.console.control_requests import InvalidControlRequest
from seller_sandbox.jobs.exceptions import ActionNotPossible

Action = Callable[..., str]
View = Callable[..., HttpResponse]
# the page of what the button's address names
PAGES = {
    "seller_job_id": "job",
    "reference": "order",
    "ticket": "ticket",
    "uprn": "location",
    "line_uprn": "line",
}


def pressed_only(view: View) -> View:
    """Like require_POST; whoever opens the address by hand gets a page that says so and leads back."""

    @wraps(view)
    def guarded(request: HttpRequest, **url_arguments: Any) -> HttpResponse:
        if request.method == "POST":
            return view(request, **url_arguments)
        page = {"back": _page_of(url_arguments)}
        answer = render(request, "sandbox/button_only.html", page, status=HTTPStatus.METHOD_NOT_ALLOWED)
        answer.headers["Allow"] = "POST"
        return answer

    return guarded


def button(action: Action) -> View:
    """Turn a function that returns a report of its action into a view; an error becomes a message on the page."""

    @pressed_only
    @wraps(action)
    def view(request: HttpRequest, **url_arguments: Any) -> HttpResponse:
        try:
            messages.success(request, action(request, **url_arguments))
        except (InvalidControlRequest, ActionNotPossible) as refusal:
            messages.error(request, f"Nothing was changed. {refusal}")
        return redirect(_page_after(request, url_arguments))

    return view


def _page_after(request: HttpRequest, url_arguments: dict[str, Any]) -> str:
    """The form's own field `next` if it is an address of this console, else the page of the button's address."""
    wanted = request.POST.get("next", "")
    if wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None):
        return wanted
    return _page_of(url_arguments)


def _page_of(url_arguments: dict[str, Any]) -> str:
    for name, page in PAGES.items():
        if name in url_arguments:
            return resolve_url(page, url_arguments[name])
    return resolve_url("overview")
