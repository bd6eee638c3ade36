"""How a job is found from what somebody typed: by the keywords into which its texts are split (dispatch.job_search), or
by a reference or a postcode, each by its index.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Upper
from django.db.models.lookups import Exact

from dispatch.models.devices import OntScan
from dispatch.models.jobs_and_visits import Job

MAX_KEYWORD_LENGTH = 40
# a pack's texts have no limit of their own; what lies behind these is not looked for
MAX_TEXT_LENGTH, MAX_KEYWORDS = 1000, 500
# a job number is found by each part of at least this length; of a long one, by parts of its last characters
SHORTEST_PART, LONGEST_PART = 3, 12
# an FSAN is read out without the vendor's four letters
VENDOR_CHARACTERS = 4
# of the United Kingdom; without a sign it counts where a whole number follows
COUNTRY_CODE = re.compile(r" ?(?:(?:\+|00)\s*44|44(?=(?:\D*\d){10}\s*$))")
PIECE = re.compile(r"[^\W_]+")
APOSTROPHES = str.maketrans("", "", "'’‘`´")


class JobSearchText(models.Model):
    """All keywords of one job, each after a blank: `" ls63ab 3ab chapel"`. Written with the job, in its transaction.

    The index over them is the database's own (migrations/search_index.py) and finds keywords by their beginning.
    """

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="search_text")
    keywords = models.TextField()

    def __str__(self) -> str:
        return f"keywords of {self.job_id}"


def job_keywords(job: Job, scans: Iterable[OntScan] = ()) -> str:
    """`JobSearchText.keywords` of a job: its numbers, orders, address, contact and devices, expected and scanned."""
    numbers = [job.provider_job_id, job.seller_job_id]
    orders = [job.buyer_order_reference, job.seller_order_reference, job.service_identifier]
    texts = [*numbers, *orders, job.uprn, *job.address_lines, job.town, job.postcode, job.contact_name]
    devices = [(job.ont_fsan, job.ont_serial_number), *((scan.fsan, scan.serial_number) for scan in scans)]
    for fsan, serial_number in devices:
        texts += [fsan, fsan[VENDOR_CHARACTERS:], serial_number]
    found = chain(
        (part for number in numbers for part in _parts(number)),
        ("".join(split_keywords(job.postcode)), national_number(job.contact_phone)),
        (ending for text in texts for keyword in _chunks(text) for ending in _endings(keyword)),
    )
    keywords: dict[str, None] = {}
    for keyword in filter(None, found):
        keywords[keyword[:MAX_KEYWORD_LENGTH]] = None
        if len(keywords) == MAX_KEYWORDS:
            break
    return "".join(f" {keyword}" for keyword in keywords)


def split_keywords(text: str) -> list[str]:
    """`Ł. O'Hara B-1001` → `ł`, `ohara`, `b1001`: small letters without accents, what is written together in one."""
    return ["".join(pieces) for pieces in _chunks(text)]


def national_number(phone: str) -> str:
    """The digits of a telephone number without country code and leading zeros: the same however it is written."""
    national = COUNTRY_CODE.sub("", " ".join(phone[:MAX_TEXT_LENGTH].split()), count=1)
    return "".join(character for character in national if character in "0123456789").lstrip("0")


def _chunks(text: str) -> list[list[str]]:
    """What stands between blanks, each cut at its punctuation."""
    plain = _without_accents(text[:MAX_TEXT_LENGTH].translate(APOSTROPHES))
    pieces = [PIECE.findall(chunk) for chunk in plain.split()]
    return [found for found in pieces if found]


def _without_accents(text: str) -> str:
    # nearly every text of a createJob; character by character it was a tenth of one
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if not unicodedata.combining(character))


def _endings(pieces: list[str]) -> list[str]:
    """`b`, `1001` → `b1001`, `1001`."""
    # a piece has a character at least: more of them would be cut off
    return ["".join(pieces[start : start + MAX_KEYWORD_LENGTH]) for start in range(len(pieces))]


def _parts(number: str) -> list[str]:
    keyword = "".join(split_keywords(number))[-LONGEST_PART:]
    return [keyword[start:] for start in range(len(keyword) - SHORTEST_PART + 1)]


def has_reference(reference: str) -> Q:
    """A job of this order reference, job number or UPRN, in capitals or not; each column by its index, which `iexact`
    does not use."""
    key = reference.upper()
    numbers = Q(provider_job_id=key) | Q(uprn=key) | _is_upper("seller_job_id", key)
    return numbers | has_order(reference)


def has_order(reference: str) -> Q:
    """A job of this order reference, the buyer's or the seller's."""
    return _is_upper("buyer_order_reference", reference) | _is_upper("seller_order_reference", reference)


def _is_upper(column: str, text: str) -> Q:
    return Q(Exact(Upper(column), Upper(Value(text))))
