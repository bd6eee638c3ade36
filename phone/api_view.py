"""What the phone's JSON views share: who may ask, how often, how a body is read, how a refusal is answered.

Every refusal is `{"error", "where", "message"}`, and `problems` where several things are wrong; what can be tried again
says when in `Retry-After`.
"""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException, Throttled
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView
from rest_framework.views import exception_handler as default_handler

from dispatch.problems import Problem
from engineers.input_values import parse_json
from engineers.models import Engineer, User
from engineers.permissions import engineer_of, for_engineer
from engineers.throttling import RateLimit, rate_limit_text
from phone.serializers import parse_number


class ApiRefusal(APIException):
    """Nothing was done; `where` names the field."""

    def __init__(self, status: HTTPStatus, code: str, message: str, *, where: str = "") -> None:
        super().__init__(message, code)
        self.status_code = status
        self.body: dict[str, Any] = {"error": code, "where": where, "message": message}


class ProblemsFound(ApiRefusal):
    """Nothing was done, for at least one reason; `also` goes into the answer with them."""

    def __init__(self, status: HTTPStatus, problems: Sequence[Problem], **also: Any) -> None:
        first = problems[0]
        super().__init__(status, first.code, first.message, where=first.where)
        details = [
            {"code": problem.code, "where": problem.where, "message": problem.message} for problem in problems
        ]
        self.body |= {"problems": details, **also}


def answer_exception(problem: Exception, context: dict[str, Any]) -> Response | None:
    """The exception handler of every PhoneView; None leaves it to monitoring.middleware, which says 503 or 500."""
    response = default_handler(problem, context)
    if response is None:
        return None
    if isinstance(problem, ApiRefusal):
        response.data = problem.body
    elif isinstance(problem, Throttled):
        seconds = int(problem.wait or 0)
        response.data = {"error": "rate_limited", "where": "", "message": rate_limit_text(seconds)}
    else:
        message = str(response.data.get("detail", problem))
        response.data = {
            "error": HTTPStatus(response.status_code).name.lower(),
            "where": "",
            "message": message,
        }
    return response


class SignedInUser(BaseAuthentication):
    """Whom the session signed in. The CSRF token has been checked by the middleware, as for every other page."""

    def authenticate(self, request: Request) -> tuple[User, None]:
        return cast(User, request._request.user), None


class UserThrottle(BaseThrottle):
    """The view's `rate_limit`, counted for each user."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        limit: RateLimit | None = view.rate_limit
        self._seconds = limit.seconds_to_wait(request.user.pk) if limit else 0
        return self._seconds == 0

    def wait(self) -> float:
        return self._seconds


class JsonBody(BaseParser):
    """Any JSON value, whatever the content type claims, of the view's `max_body_bytes` at most."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:  # noqa: ARG002
        view: PhoneView = parser_context["view"]
        limit = view.max_body_bytes
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise view.bad_body(_("A request can be at most %(limit)s KB.") % {"limit": limit // 1024})
        try:
            return parse_json(raw, parse_int=parse_number)
        except ValueError as problem:
            raise view.bad_body(_("The request body is not valid JSON.")) from problem


class JsonOnly(BaseContentNegotiation):
    """Answers JSON to whoever was let in, whatever they would rather have."""

    def select_parser(self, _request: Request, parsers: Sequence[BaseParser]) -> BaseParser:
        return parsers[0]

    def select_renderer(
        self, _request: Request, renderers: Sequence[BaseRenderer], _format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class AsciiJson(JSONRenderer):
    # half a character, which UTF-8 does not know, stays the escape that it was
    ensure_ascii = True


class PhoneView(APIView):
    """A JSON view for engineers. The guard of all views (engineers.permissions) stands before it."""

    authentication_classes = (SignedInUser,)
    permission_classes = ()
    throttle_classes = (UserThrottle,)
    parser_classes = (JsonBody,)
    renderer_classes = (AsciiJson,)
    content_negotiation_class = JsonOnly
    metadata_class = None
    max_body_bytes = 64 * 1024
    rate_limit: RateLimit | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., Any]:
        view = super().as_view(**initkwargs)
        view.csrf_exempt = False
        return for_engineer(view)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        return answer_exception

    def bad_body(self, message: str) -> ApiRefusal:
        """The refusal of a body that is no JSON or too long."""
        return ApiRefusal(HTTPStatus.BAD_REQUEST, "invalid", message, where="body")

    def body_object(self) -> dict[str, Any]:
        """The body where it is a JSON object; without members where it is another value."""
        data = self.request.data
        return data if isinstance(data, dict) else {}

    def check_engineer(self, sent: Mapping[str, Any]) -> None:
        """Raises ApiRefusal where a queue names another `engineer` than the one who is signed in: it waits for them."""
        identity = self.engineer.phone_identity
        if sent.get("engineer", identity) != identity:
            message = _("Another engineer is signed in on this phone. Sign in to send your work.")
            raise ApiRefusal(HTTPStatus.CONFLICT, "other_engineer", message, where="engineer")

    @property
    def http_request(self) -> HttpRequest:
        request: HttpRequest = self.request._request
        return request

    @property
    def engineer(self) -> Engineer:
        return engineer_of(self.http_request)

    def finalize_response(
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        final: HttpResponse = super().finalize_response(request, response, *args, **kwargs)
        add_never_cache_headers(final)
        return final
