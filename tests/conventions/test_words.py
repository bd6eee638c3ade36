"""Every text that people read is translated into every language, and the compiled files match their sources; screens
have one word for one thing."""

import gettext
import io
import re

import pytest

from tools import catalogue
from tools.catalogue import DOMAINS, Text, Unreadable, compiled, in_python, in_script, read, written

TEXTS = {
    Text("My day"): ("Mein Tag",),
    Text("%(number)s photo", "%(number)s photos"): ("%(number)s Foto", "%(number)s Fotos"),
    Text('Say “so”\nor "so"'): ('Sag "so"\noder so',),
}

# what a screen does not say -> what it says instead: one word for one thing
OTHER_WORDS = {
    r"\b[Cc]annot\b": "can't",
    r"\b[Tt]elephone\b": "phone",
    r"(?<!-)\b[Mm]ail\b(?! server)": "e-mail",
    r"\b[Aa]pplication": "app",
    r"\b(?:message |new |its )ids?\b": "ID",
    r"\b[Mm]eanwhile\b": "in the meantime",
    r"\blies?\b|\bstands\b": "is, belongs",
    r"\bto nobody\b": "unassigned",
}


def other_words(text: str) -> list[str]:
    return [better for other, better in OTHER_WORDS.items() if re.search(other, text)]


@pytest.mark.parametrize("domain", DOMAINS)
def test_screens_have_one_word_for_one_thing(domain: str) -> None:
    texts = read(catalogue.file_of(catalogue.languages()[0], domain).read_text())
    forms = [form for text in texts for form in (text.singular, text.plural)]

    assert {form: other_words(form) for form in forms if other_words(form)} == {}


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("The file cannot be read.", ["can't"]),
        ("Telephone", ["phone"]),
        ("telephone number", ["phone"]),
        ("Enter a mail address.", ["e-mail"]),
        ("Enter an e-mail address.", []),
        ("The mail server did not answer.", []),
        ("Open the application.", ["app"]),
        ("Resend with a new id.", ["ID"]),
        ("Resend with a new ID.", []),
        ("This name stands in an earlier row.", ["is, belongs"]),
        ("Give the link to nobody meanwhile.", ["in the meantime", "unassigned"]),
    ],
)
def test_other_word_is_named(text: str, better: list[str]) -> None:
    assert other_words(text) == better


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", catalogue.languages())
def test_every_text_is_translated(language: str, domain: str) -> None:
    wrong = catalogue.wrong_with(language, domain)

    assert wrong == [], ".venv/bin/python -m tools.catalogue adds them; then write the words"


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", catalogue.languages())
def test_placeholders_of_a_text_are_in_its_translation(language: str, domain: str) -> None:
    translations = read(catalogue.file_of(language, domain).read_text())

    assert {
        text.singular: forms
        for text, forms in translations.items()
        if not catalogue.has_same_placeholders(text, forms)
    } == {}


def test_catalogue_is_read_as_it_was_written() -> None:
    assert read(written("de", TEXTS)) == TEXTS


def test_compiled_catalogue_is_understood_by_gettext() -> None:
    spoken = gettext.GNUTranslations(io.BytesIO(compiled("de", TEXTS)))

    assert spoken.gettext("My day") == "Mein Tag"
    assert [spoken.ngettext("%(number)s photo", "%(number)s photos", number) for number in (1, 2)] == [
        "%(number)s Foto",
        "%(number)s Fotos",
    ]


def test_texts_of_python_and_scripts_are_found() -> None:
    python = 'a = _("one")\nb = ngettext("%(n)s two", "%(n)s twos", n)\nc = gettext_lazy("th" "ree")'
    script = 'h("p", {}, _("one"), `${_("can\'t")} `, plural("a", "b", 2))'

    assert list(in_python(python)) == [Text("one"), Text("%(n)s two", "%(n)s twos"), Text("three")]
    assert list(in_script(script)) == [Text("one"), Text("can't"), Text("a", "b")]


@pytest.mark.parametrize("source", ["_(words)", '_(f"{a}")'])
def test_text_that_is_put_together_is_named(source: str) -> None:
    with pytest.raises(Unreadable):
        list(in_python(source))
    with pytest.raises(Unreadable):
        list(in_script(source))


def test_languages_offered_are_those_with_a_catalogue(settings: object) -> None:
    offered = {code for code, _name in settings.LANGUAGES}  # type: ignore[attr-defined]

    assert offered == {settings.LANGUAGE_CODE, *catalogue.languages()}  # type: ignore[attr-defined]
