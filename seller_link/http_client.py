"""HTTP calls to the seller by libcurl: mutual TLS, one limit for the whole call, no redirects, no proxies.

libcurl and not a client in Python: adr/0017 has the figures. Its limit covers everything from the name's look-up to a
body that comes a byte at a time.
"""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from urllib.parse import urlsplit

import pycurl

from monitoring.coded_texts import CodedText, coded_text
from seller_link.client_tls import (
    CertificateDistrust,
    CredentialFiles,
    Credentials,
    certificate_distrust,
    rejection_alert,
)

MAX_ANSWER_BYTES = 1024 * 1024
MAX_HEAD_BYTES = 64 * 1024
# so that another address behind the same name is used
CONNECTION_MAX_AGE_SECONDS = 300
# libcurl would ask whether it may send a body that is not small
NO_EXPECT = "Expect:"
JSON_HEADERS = ("Content-Type: application/json", "Accept: application/json")
# CURLOPT_QUICK_EXIT, which pycurl does not name: closing waits for no name look-up that has been given up
QUICK_EXIT = 322
STOP = -1


class InvalidResponse(OSError):
    """What came is no answer, or the beginning of a head only; `reason` says so."""

    def __init__(self, reason: CodedText) -> None:
        super().__init__(reason)
        self.reason = reason


class CallFailed(OSError):
    """The call ended without an answer for another reason than those that have an exception of their own."""


def read_http_date(text: str) -> datetime | None:
    """Aware, from any form of RFC 9110, 5.6.7; None for what is none."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Response:
    """One answer with a complete head; header names are lower case. Not `is_whole`: late, too large or cut."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool
    is_late: bool
    is_too_large: bool

    @property
    def has_length(self) -> bool:
        return "content-length" in self.headers or "transfer-encoding" in self.headers

    @property
    def is_readable(self) -> bool:
        """Enough for a refusal, whose status alone would do: its end may be that of the connection (RFC 9112, 6.3), for
        which many servers do not end TLS, and of one that is too large the beginning counts."""
        return self.is_whole or self.is_too_large or not (self.has_length or self.is_late)

    @property
    def complaint(self) -> CodedText | None:
        """Why this is not to be believed: without its own length or chunks, half of it would look whole."""
        if self.is_too_large:
            return coded_text("seller_answer_too_large")
        if not self.has_length:
            return coded_text("seller_answer_without_length")
        return None if self.is_whole else coded_text("seller_answer_broke_off")


class _Receiver:
    """Takes an answer in as it comes."""

    def __init__(self, max_bytes: int) -> None:
        self.headers: dict[str, str] = {}
        self.has_begun = self.has_head = False
        self.is_too_large = self.has_large_head = False
        self.pieces: list[bytes] = []
        self._left, self._head_left = max_bytes, MAX_HEAD_BYTES

    def take_header(self, line: bytes) -> int | None:
        self._head_left -= len(line)
        if self._head_left < 0:
            self.has_large_head = True
            return STOP
        if not line.strip():
            self.has_head = True
        elif line.startswith(b"HTTP/"):
            # an interim answer has a head of its own
            self.has_begun, self.has_head, self.headers = True, False, {}
        else:
            name, _colon, value = line.decode("latin-1").partition(":")
            self.headers[name.lower()] = value.strip()
        return None

    def take_body(self, piece: bytes) -> int | None:
        self.pieces.append(piece)
        self._left -= len(piece)
        self.is_too_large = self._left < 0
        return STOP if self.is_too_large else None


class HttpClient:
    """Keep-alive connections of one thread, made with the certificates that are on the disk now."""

    def __init__(self, *, is_plain: bool = False, headers: Sequence[str] = JSON_HEADERS) -> None:
        self._headers = [*headers, NO_EXPECT]
        self._credentials = None if is_plain else Credentials()
        self._files: CredentialFiles | None = None
        self._curl: pycurl.Curl | None = None

    def request(
        self, url: str, *, seconds: float, body: bytes | None = None, max_bytes: int = MAX_ANSWER_BYTES
    ) -> Response:
        """One POST of `body`, or a GET; raises an OSError as long as no head of an answer has come.

        A kept connection that the seller has closed in the meantime is replaced by a new one within the same time.
        """
        curl, received, end = self.handle(), _Receiver(max_bytes), monotonic() + seconds
        if body is not None:
            curl.setopt(pycurl.POSTFIELDS, body)
        curl.setopt(pycurl.HEADERFUNCTION, received.take_header)
        curl.setopt(pycurl.WRITEFUNCTION, received.take_body)
        error = self.perform(url, seconds=seconds)
        if error and not received.has_head:
            failure = _failure(curl, error, received)
            if error == pycurl.E_SEND_ERROR:
                failure = self._rejection(url, seconds=end - monotonic()) or failure
            raise failure
        return Response(
            curl.getinfo(pycurl.RESPONSE_CODE),
            received.headers,
            b"".join(received.pieces),
            is_whole=not error,
            is_late=error == pycurl.E_OPERATION_TIMEDOUT,
            is_too_large=received.is_too_large,
        )

    def _rejection(self, url: str, *, seconds: float) -> CertificateDistrust | None:
        """Whether the seller hung up because of our certificate."""
        curl, host = self.handle(), urlsplit(url).hostname
        if not self._credentials or not host:
            return None
        address = curl.getinfo(pycurl.PRIMARY_IP), curl.getinfo(pycurl.PRIMARY_PORT)
        return rejection_alert(address, host=host, seconds=seconds)

    def handshake(self, url: str, *, seconds: float) -> None:
        """Connect and verify, and send nothing."""
        curl = self.handle()
        curl.setopt(pycurl.CONNECT_ONLY, 1)
        if error := self.perform(url, seconds=seconds):
            raise _failure(curl, error, _Receiver(0))

    def perform(self, url: str, *, seconds: float) -> int:
        """libcurl's error, 0 for none."""
        curl = self.handle()
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.TIMEOUT_MS, max(1, round(seconds * 1000)))
        try:
            curl.perform()
        except pycurl.error as problem:
            return int(problem.args[0])
        return 0

    def handle(self) -> pycurl.Curl:
        """For what libcurl reports besides the answer. A new one when the certificates have changed."""
        files = self._credentials.current() if self._credentials else None
        if self._curl is None or files is not self._files:
            self.close()
            self._curl, self._files = _new_handle(files, self._headers), files
        return self._curl

    def close(self) -> None:
        """All connections; the next request opens new ones."""
        if self._curl is not None:
            self._curl.close()
            self._curl = None


def _new_handle(files: CredentialFiles | None, headers: list[str]) -> pycurl.Curl:
    curl = pycurl.Curl()
    curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    curl.setopt(pycurl.HTTPHEADER, headers)
    curl.setopt(pycurl.MAXLIFETIME_CONN, CONNECTION_MAX_AGE_SECONDS)
    curl.setopt(pycurl.DNS_CACHE_TIMEOUT, 0)
    curl.setopt(pycurl.PROXY, "")
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(QUICK_EXIT, 1)
    curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTPS if files else pycurl.PROTO_HTTP)
    if files:
        curl.setopt(pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2)
        # each new connection verifies the seller's certificate
        curl.setopt(pycurl.SSL_SESSIONID_CACHE, 0)
        # nothing but SELLER_CA is trusted, no authority of the machine's
        curl.unsetopt(pycurl.CAINFO)
        curl.unsetopt(pycurl.CAPATH)
        curl.setopt(pycurl.CAINFO_BLOB, files.authority)
        curl.setopt(pycurl.SSLCERT_BLOB, files.certificate)
        curl.setopt(pycurl.SSLKEY_BLOB, files.key)
    return curl


def _failure(curl: pycurl.Curl, error: int, received: _Receiver) -> OSError:
    text, number = curl.errstr(), curl.getinfo(pycurl.OS_ERRNO)
    if error == pycurl.E_OPERATION_TIMEDOUT:
        return TimeoutError("the time is up")
    if received.has_large_head:
        return InvalidResponse(coded_text("seller_head_too_large"))
    if received.has_begun:
        return InvalidResponse(coded_text("seller_answer_broke_off"))
    if error == pycurl.E_COULDNT_RESOLVE_HOST:
        return socket.gaierror(text)
    if error == pycurl.E_COULDNT_CONNECT and number:
        return OSError(number, os.strerror(number))
    is_theirs = error == pycurl.E_PEER_FAILED_VERIFICATION
    verified = curl.getinfo(pycurl.SSL_VERIFYRESULT)
    return certificate_distrust(text, is_theirs=is_theirs, verified=verified) or CallFailed(text)
