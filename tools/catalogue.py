"""Translations: which texts the sources use, which of them `locale/` translates, and the compiled files.

    python -m tools.catalogue            adds the texts in use, drops the others, compiles
    python -m tools.catalogue --check    reports what is missing and changes nothing

Babel reads and writes the files; GNU's gettext tools are no part of a fresh clone. The texts are found here: a text
that is put together while the program runs must be an error, and Babel's extractors pass over it (docs/adr/0017).
"""

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog, mofile, pofile
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    *(
        "alerting",
        "background",
        "board",
        "closures",
        "config",
        "customer_messages",
        "demo",
        "dispatch",
        "engineers",
    ),
    *("monitoring", "operations", "partner_api", "phone", "seller_link"),
)
SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
COUNTED = {"ngettext", "ngettext_lazy"}
STRING = r'"(?:[^"\\]|\\.)*"'
MARKED = re.compile(rf"(?<![\w.])_\(\s*({STRING})\s*\)")
COUNTED_IN_SCRIPT = re.compile(rf"(?<![\w.])plural\(\s*({STRING}),\s*({STRING})")
ANY_MARKED = re.compile(r"(?<![\w.])(?:_|plural)\(")
PLACEHOLDER = re.compile(r"%\(\w+\)[-+.\d]*[a-z]|\{\w+\}")
UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
DOMAINS = ("django", "djangojs")


class Unreadable(Exception):
    """A text that no catalogue can hold, since it is put together while the program runs."""


@dataclass(frozen=True)
class Text:
    """`plural` where the text counts something."""

    singular: str
    plural: str = ""


Translations = dict[Text, tuple[str, ...]]


# --- texts of the sources ---


def in_use(domain: str) -> dict[Text, set[str]]:
    """Each text with the files that use it."""
    found: dict[Text, set[str]] = {}
    for path, texts in _scripts() if domain == "djangojs" else _of_django():
        for text in texts:
            found.setdefault(text, set()).add(path.relative_to(ROOT).as_posix())
    return found


def _of_django() -> Iterator[tuple[Path, list[Text]]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, list(in_python(path.read_text()))
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield path, list(in_python(templatize(path.read_text(), origin=str(path)), is_template=True))


def _scripts() -> Iterator[tuple[Path, list[Text]]]:
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        if path.name != "i18n.js":
            yield path, list(in_script(path.read_text()))


def in_python(source: str, *, is_template: bool = False) -> Iterator[Text]:
    """The texts of calls of gettext and its like. Of a template it gets what Django's templatize leaves of it."""
    for node in _calls_in(source, is_template=is_template):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in SINGLE:
            yield Text(_constant(node.args[0]))
        elif name in COUNTED:
            yield Text(_constant(node.args[0]), _constant(node.args[1]))


def _calls_in(source: str, *, is_template: bool) -> Iterator[ast.Call]:
    parts = _calls_left(source) if is_template else [source]
    for part in parts:
        yield from (node for node in ast.walk(ast.parse(part)) if isinstance(node, ast.Call))


def _calls_left(source: str) -> Iterator[str]:
    """templatize blanks everything but the calls with X, in lines that are no Python as they stand."""
    for start in re.finditer(r"(?<!\w)(?:gettext|ngettext|_)\(", source):
        yield _up_to_its_end(source, start.start(), start.end())


def _up_to_its_end(source: str, start: int, end: int) -> str:
    while end := source.find(")", end) + 1:
        try:
            ast.parse(source[start:end], mode="eval")
        except SyntaxError:
            continue
        return source[start:end]
    raise Unreadable(source[start : start + 80])


def _constant(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise Unreadable(f"line {node.lineno}: {ast.unparse(node)}")


def in_script(source: str) -> Iterator[Text]:
    texts = [Text(_plain(match[1])) for match in MARKED.finditer(source)]
    texts += [Text(_plain(match[1]), _plain(match[2])) for match in COUNTED_IN_SCRIPT.finditer(source)]
    if len(texts) != len(ANY_MARKED.findall(source)):
        raise Unreadable(f"{len(texts)} texts in {len(ANY_MARKED.findall(source))} calls of _() and plural()")
    yield from texts


def _plain(quoted: str) -> str:
    return str(ast.literal_eval(quoted))


# --- catalogues ---


def languages() -> list[str]:
    return sorted(path.name for path in (ROOT / "locale").iterdir() if path.is_dir())


def file_of(language: str, domain: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def read(source: str) -> Translations:
    """Text → its translations, one for each of the language's plural forms; empty where there are none yet."""
    messages = [message for message in pofile.read_po(io.StringIO(source)) if message.id]
    return {Text(*_strings(message.id)): _strings(message.string) for message in messages}


def _strings(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value or "",) if isinstance(value, str | None) else tuple(value)


def written(language: str, translations: Translations) -> str:
    file = io.BytesIO()
    pofile.write_po(file, _catalog(language, translations), width=0)
    return file.getvalue().decode()


def compiled(language: str, translations: Translations) -> bytes:
    """The .mo file."""
    file = io.BytesIO()
    mofile.write_mo(file, _catalog(language, translations))
    return file.getvalue()


def _catalog(language: str, translations: Translations) -> Catalog:
    """In the order of the texts and without the time, so that only a change of a text changes a file."""
    catalog = Catalog(language, header_comment="", creation_date=UNDATED, revision_date=UNDATED, fuzzy=False)
    for text, forms in sorted(translations.items(), key=lambda pair: (pair[0].singular, pair[0].plural)):
        ids = (text.singular, text.plural) if text.plural else text.singular
        # our own test compares the placeholders, of scripts' texts too
        catalog.add(ids, forms if text.plural else forms[0]).flags.discard("python-format")
    return catalog


# --- both together ---


def untranslated(translations: Translations, used: Iterable[Text]) -> list[Text]:
    return [text for text in used if not all(translations.get(text, ("",)))]


def has_same_placeholders(text: Text, forms: tuple[str, ...]) -> bool:
    """Each `%(name)s` and `{name}` of the text is in its translations, and no other."""
    wanted = set(PLACEHOLDER.findall(text.singular + text.plural))
    return set().union(*(PLACEHOLDER.findall(form) for form in forms)) == wanted


def brought_up(translations: Translations, used: Iterable[Text]) -> Translations:
    """The texts in use, with the translations that exist."""
    return {text: translations.get(text, ("", "") if text.plural else ("",)) for text in used}


def wrong_with(language: str, domain: str) -> list[str]:
    """Sentences about what --check finds; empty when every text in use is translated."""
    path, used = file_of(language, domain), in_use(domain)
    source = path.read_text()
    translations = read(source)
    lines = [
        f"not translated: {text.singular!r} ({min(used[text])})" for text in untranslated(translations, used)
    ]
    lines += [f"not used any more: {text.singular!r}" for text in translations if text not in used]
    if path.with_suffix(".mo").read_bytes() != compiled(language, translations):
        lines.append("the .mo file is of another .po file")
    return [f"{language}/{domain}: {line}" for line in lines]


def bring_up_to_date(language: str, domain: str) -> int:
    """Writes .po and .mo; how many texts are not translated."""
    path, used = file_of(language, domain), in_use(domain)
    translations = brought_up(read(path.read_text()) if path.exists() else {}, used)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(language, translations))
    path.with_suffix(".mo").write_bytes(compiled(language, translations))
    return len(untranslated(translations, used))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--check", action="store_true")
    both = [(language, domain) for language in languages() for domain in DOMAINS]
    if asked.parse_args().check:
        wrong = [line for language, domain in both for line in wrong_with(language, domain)]
        sys.exit("\n".join(wrong) or None)
    for language, domain in both:
        print(f"{language}/{domain}: {bring_up_to_date(language, domain)} not translated")


if __name__ == "__main__":
    main()
