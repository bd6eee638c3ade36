"""Every text that people read is translated into every language, and the compiled files match their sources."""

import gettext
import io

import pytest

from tools import catalogue
from tools.catalogue import DOMAINS, Text, Unreadable, compiled, in_python, in_script, read, written

TEXTS = {
    Text("My day"): ("Mein Tag",),
    Text("%(number)s photo", "%(number)s photos"): ("%(number)s Foto", "%(number)s Fotos"),
    Text('Say “so”\nor "so"'): ('Sag "so"\noder so',),
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", catalogue.languages())
def test_every_text_is_translated(language: str, domain: str) -> None:
    wrong = catalogue.wrong_with(language, domain)

    assert wrong == [], "python -m tools.catalogue adds them; then write the words"


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
