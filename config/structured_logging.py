"""JSON log lines with the ids of request and job on each; never a name, an address or a phone number."""

import logging.config
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse

from monitoring import request_ids, web_metrics

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def json_formatter(**_kwargs: Any) -> structlog.stdlib.ProcessorFormatter:
    """One JSON object a line; also granian's, whose own lines come before Django is set up (granian_logging.json)."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )


def logging_config(*, level: str) -> None:
    """Send every line of ours and of the libraries, their warnings too, through one JSON renderer to standard error."""
    logging.captureWarnings(True)
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"json": {"()": json_formatter}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
            "root": {"handlers": ["stderr"], "level": level},
            # axes logs user names and addresses of each attempt; the log-in page's own count is enough
            "loggers": {
                "axes": {"level": "ERROR"},
                # write the path, which may be a secret link, and what the database says; there is a line without both
                "django.request": {"level": "CRITICAL"},
                "django.security.csrf": {"level": "CRITICAL"},
                # logs every task and the whole traceback of a failed one; monitoring.task_queue has one line for that
                "django-q": {"level": "CRITICAL"},
            },
        }
    )


class RequestLogMiddleware:
    """One line and one count for each request: method, route (the path may carry a search term), status, time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("request")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        structlog.contextvars.clear_contextvars()
        request_id = request_ids.begin_request(request.headers.get(request_ids.HEADER, ""))
        started = time.monotonic()
        response = self.get_response(request)
        response[request_ids.HEADER] = request_id
        match = request.resolver_match
        if match and "job_id" in match.kwargs:
            structlog.contextvars.bind_contextvars(job=match.kwargs["job_id"])
        route, seconds = web_metrics.view_name(request), time.monotonic() - started
        self.log.info(
            "request",
            method=request.method,
            route=route,
            status=response.status_code,
            milliseconds=round(seconds * 1000, 1),
        )
        web_metrics.record_request(
            view=route, method=request.method or "", status=response.status_code, seconds=seconds
        )
        structlog.contextvars.clear_contextvars()
        return response
