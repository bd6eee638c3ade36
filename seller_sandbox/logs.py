"""One JSON object per log line on standard error, with a job's id where there is one and never a person's data."""

import logging.config

import structlog

STAMP = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
]
RENDER = [
    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
    structlog.processors.format_exc_info,
    structlog.processors.JSONRenderer(),
]
# uvicorn logs each connection, Django each 4xx; the message log has more about them
QUIET = {"uvicorn.access": {"level": "ERROR"}, "django.request": {"level": "ERROR"}}


def logging_config(*, level: str) -> None:
    """Send our lines and those of the libraries through one renderer."""
    structlog.configure(
        processors=[*STAMP, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": STAMP,
        "processors": RENDER,
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"json": formatter},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": QUIET,
        }
    )
