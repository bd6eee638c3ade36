"""Reads the example requests of the buyer interface and parses the same bytes plainly; prints both as JSON.

`python -m tests.bench.order_message --rounds N`: for each round the processor's microseconds for one message on
average, [[read, plain], …]. Both take turns. Processor time, since other processes may take the processor away.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seller_sandbox.settings")
django.setup()

from lxml import etree  # noqa: E402

from seller_sandbox.orders.wire import examples, parsing  # noqa: E402

MESSAGES = [parsing.build(request) for _, _, request in examples.REQUESTS]
REPEATS = 50


def microseconds(read: Callable[[bytes], object]) -> float:
    started = time.process_time()
    for _ in range(REPEATS):
        for message in MESSAGES:
            read(message)
    return (time.process_time() - started) / (REPEATS * len(MESSAGES)) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, required=True)
    rounds = parser.parse_args().rounds
    # schemas are compiled at the first message
    microseconds(parsing.parse)
    pairs = [(microseconds(parsing.parse), microseconds(etree.fromstring)) for _ in range(rounds)]
    json.dump(pairs, sys.stdout)


if __name__ == "__main__":
    main()
