"""What the views of the partner's interface share: token, scope, throttle, the form of a refusal, the ETag.

A refusal is `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail` with what is wrong and what to
do, `code` for programs, and `problems` where fields of the request are wrong.
"""

import hashlib
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import APIException, AuthenticationFailed, NotAuthenticated, Throttled
from rest_framework.exceptions import PermissionDenied as DrfPermissionDenied
from rest_framework.exceptions import ValidationError as DrfValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.throttling import BaseThrottle
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import APIView
from rest_framework.views import exception_handler as default_handler

from engineers.permissions import for_access_token
from engineers.throttling import RateLimit
from partner_api import access_tokens
from partner_api.models import AccessToken, Scope

PROBLEM_TYPE = "application/problem+json"


class NotThere(APIException):
    """404 with the remedy."""

    status_code = HTTPStatus.NOT_FOUND
    default_code = "not_found"


def answer_problem(problem: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """The exception handler; None leaves it to monitoring.middleware, which says 503 or 500."""
    response = default_handler(problem, context)
    if response is None:
        return None
    status = HTTPStatus(response.status_code)
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "code": _code(problem),
        "detail": _detail(problem, context["view"]),
    }
    if isinstance(problem, DrfValidationError):
        body["problems"] = [
            {"where": where, "message": str(message)}
            for where, messages in cast(dict[str, list[str]], problem.detail).items()
            for message in messages
        ]
    headers = {
        name: response.headers[name] for name in ("WWW-Authenticate", "Retry-After") if name in response
    }
    return HttpResponse(json.dumps(body), status=status, content_type=PROBLEM_TYPE, headers=headers)


def _code(problem: Exception) -> str:
    codes = {
        DrfValidationError: "invalid_parameter",
        DrfPermissionDenied: "scope_missing",
        NotAuthenticated: "token_missing",
        AuthenticationFailed: "token_refused",
        Throttled: "rate_limited",
    }
    known = next((code for kind, code in codes.items() if isinstance(problem, kind)), "")
    return known or str(getattr(problem, "default_code", "refused"))


def _detail(problem: Exception, view: "PartnerApiView") -> str:
    match problem:
        case NotAuthenticated():
            return _(
                "Send an access token: “Authorization: Bearer …”. A supervisor creates one under “Interfaces”."
            )
        case AuthenticationFailed():
            return _("This access token is unknown, expired or revoked. Ask a supervisor for a new one.")
        case DrfPermissionDenied():
            text = _("This access token lacks the scope %(scope)s. Ask a supervisor for a token that has it.")
            return text % {"scope": view.scope}
        case Throttled():
            text = _("Too many requests. Try again in %(seconds)d s; at most %(most)d a minute are answered.")
            return text % {"seconds": int(problem.wait or 0), "most": view.rate_limit.requests}
        case DrfValidationError():
            return _("Correct the parameters that are named under “problems” and ask again.")
    return str(getattr(problem, "detail", problem))


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer fdt_…`; nobody is a user here, `request.auth` is the token."""

    def authenticate(self, request: Request) -> tuple[None, AccessToken] | None:
        scheme, _blank, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            return None
        token = access_tokens.find(secret.strip())
        if token is None:
            raise AuthenticationFailed
        # on every line of this request, that of the request itself, too
        structlog.contextvars.bind_contextvars(token=token.pk)
        return None, token

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


class HasScope(BasePermission):
    """The view's `scope`; any usable token where it has none."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:
            raise NotAuthenticated
        return not view.scope or view.scope in request.auth.scopes


class TokenThrottle(BaseThrottle):
    """The view's `rate_limit` for each token; views with the same one count together."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        self._seconds = view.rate_limit.seconds_to_wait(request.auth.pk) if request.auth else 0
        return self._seconds == 0

    def wait(self) -> float:
        return self._seconds


class AlwaysJson(BaseContentNegotiation):
    """Answers JSON, whatever the caller would rather have."""

    def select_parser(self, _request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, _request: Request, renderers: Any, _format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class PartnerApiView(APIView):
    """A JSON view for programs that have an access token with the view's `scope`."""

    authentication_classes = (BearerToken,)
    permission_classes = (HasScope,)
    throttle_classes = (TokenThrottle,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = AlwaysJson
    metadata_class = None
    http_method_names = ("get", "head")
    scope: Scope | None = None
    rate_limit = RateLimit("partner_api", 300)
    # the parameters of the address, all of them
    query_serializer: type[Serializer] | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., Any]:
        return for_access_token(super().as_view(**initkwargs))

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], HttpResponse | None]:
        return answer_problem

    @property
    def token(self) -> AccessToken:
        return cast(AccessToken, self.request.auth)

    @property
    def http_request(self) -> HttpRequest:
        request: HttpRequest = self.request._request
        return request

    def read_query(self) -> dict[str, Any]:
        """The checked parameters. A misspelt one is refused: without it the answer would be another one."""
        query = self.request.query_params
        fields = self.query_serializer().fields if self.query_serializer else {}
        if unknown := sorted(set(query) - set(fields)):
            text = _("There is no such parameter. The parameters are: %(known)s.") % {
                "known": ", ".join(fields)
            }
            raise DrfValidationError({name: [text] for name in unknown})
        if self.query_serializer is None:
            return {}
        serializer = self.query_serializer(data=query, context={"token": self.token})
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def answer(self, data: dict[str, Any], *, about: Any = None) -> HttpResponseBase:
        """With an ETag of `about`, of the data by default; 304 where the caller has that already."""
        rendered = json.dumps(data if about is None else about, cls=JSONEncoder, sort_keys=True)
        etag = f'"{hashlib.sha256(rendered.encode()).hexdigest()[:32]}"'
        response = Response(data, headers={"ETag": etag, "Cache-Control": "private, no-cache"})
        return get_conditional_response(self.http_request, etag=etag, response=response) or response

    def finalize_response(
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        final: HttpResponse = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ("Authorization",))
        if final.status_code >= HTTPStatus.BAD_REQUEST:
            final.headers["Cache-Control"] = "no-store"
        return final


def absolute(path: str) -> str:
    """The address of a path on this installation."""
    return f"{settings.PUBLIC_URL}{path}"


class UnknownAddressView(PartnerApiView):
    """Every address below /api/v1/ that is none."""

    def get(self, _request: Request, **_parts: str) -> Response:
        """404 that says where the addresses are described."""
        raise NotThere(_("There is no such address. docs/partner-api.md lists all of them."))
