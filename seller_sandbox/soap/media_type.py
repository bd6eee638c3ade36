"""The media type of SOAP 1.1 messages (order-provisioning.md, Transport 2; D3: anything else is a 415)."""

MEDIA_TYPE = "text/xml"
# of everything that we send
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8"
# of what we read, at each of the XML interfaces; a document says its encoding itself
CHARSETS = frozenset({"utf-8", "utf8", "utf-16", "us-ascii"})
