"""The media type of SOAP 1.1 messages (order-provisioning.md, Transport 2; D3: anything else is a 415)."""

from email.message import Message

MEDIA_TYPE = "text/xml"
# of everything that we send
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8"
CHARSETS = frozenset({"", "utf-8", "utf8", "utf-16", "us-ascii"})


def is_readable(content_type: str) -> bool:
    """Whether a Content-Type is text/xml, with an encoding that we read where it names one."""
    header = Message()
    header["Content-Type"] = content_type
    charset = str(header.get_param("charset") or "").lower()
    return header.get_content_type() == MEDIA_TYPE and charset in CHARSETS
