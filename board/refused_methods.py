"""A page where Django has none: the address of a button, opened as a page."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def explain_refused_method(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Whoever comes back to a form that was refused, from the history or a bookmark, gets a way on."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_blank = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not response.content
        if not (is_blank and request.method == "GET" and request.accepts("text/html")):
            return response
        page = render(request, "405.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = response["Allow"]
        return page

    return answer
