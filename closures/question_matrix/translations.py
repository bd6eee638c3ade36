"""Questions and closure codes in the language of who reads them; the seller always gets the English of the files.

A matrix file carries its own translations, since an operator's file is no part of this code; those of the document's
codes are next to them, one file for each language.
"""

import json
from dataclasses import replace
from functools import cache

from django.conf import settings
from django.utils.translation import get_language

from closures.codes import ClosureCode, find_code
from closures.question_matrix.matrix import DATA, Matrix, Question


def translated_matrix(matrix: Matrix, language: str) -> Matrix:
    """In one language, as Django names it (`de`, `de-at`); what has no translation stays as it is."""
    return replace(
        matrix, questions=tuple(translated_question(question, language) for question in matrix.questions)
    )


def translated_question(question: Question, language: str) -> Question:
    texts = question.translations.get(_plain(language), {})
    known = texts.get("choices", {})
    return replace(
        question,
        text=question_text(question, language),
        hint=texts.get("hint", question.hint),
        advice=texts.get("advice", question.advice),
        choices=tuple(
            replace(choice, text=known.get(choice.code, choice.text)) for choice in question.choices
        ),
        translations={},
    )


def question_text(question: Question, language: str) -> str:
    text: str = question.translations.get(_plain(language), {}).get("text", question.text)
    return text


def translated_code(code: ClosureCode, language: str) -> ClosureCode:
    texts = code_texts(_plain(language))
    return replace(
        code,
        description=texts.get(code.description, code.description),
        in_trade_words=texts.get(code.in_trade_words, code.in_trade_words),
        secondaries=tuple(
            replace(secondary, description=texts.get(secondary.description, secondary.description))
            for secondary in code.secondaries
        ),
    )


def readers_language() -> str:
    """That of whoever reads now."""
    return get_language() or settings.LANGUAGE_CODE


def text_for_reader(english: str) -> str:
    """One text of the codes' file, as a closure keeps it, in the language of whoever reads now."""
    return code_texts(_plain(readers_language())).get(english, english)


def name_for_reader(code: str) -> str:
    """What the trade calls it, and the code: `Service works (SP)`; a code that nobody knows is an other reason."""
    return f"{text_for_reader(find_code(code).in_trade_words)} ({code})"


@cache
def code_texts(language: str) -> dict[str, str]:
    """English text → the same in this language; empty where nobody has translated them."""
    path = DATA / f"codes_{language}.json"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return texts


def _plain(language: str) -> str:
    return language.split("-", maxsplit=1)[0]
