"""The words of every language: which texts the sources use, which of them `locale/` says, and the compiled files.

    python -m tools.catalogue            adds the texts in use, drops the others, compiles
    python -m tools.catalogue --check    tells what is missing and changes nothing

Plain Python instead of the gettext tools: those are no part of a fresh clone, and xgettext does not know `plural()`.
"""

import argparse
import ast
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    *("background", "board", "closures", "config", "demo", "dispatch", "engineers"),
    *("monitoring", "phone", "seller_link"),
)
SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
COUNTED = {"ngettext", "ngettext_lazy"}
STRING = r'"(?:[^"\\]|\\.)*"'
SAID = re.compile(rf"(?<![\w.])_\(\s*({STRING})\s*\)")
COUNTED_IN_SCRIPT = re.compile(rf"(?<![\w.])plural\(\s*({STRING}),\s*({STRING})")
ANY_SAYING = re.compile(r"(?<![\w.])(?:_|plural)\(")
PLACE = re.compile(r"%\(\w+\)[-+.\d]*[a-z]|\{\w+\}")
HEADER = """Project-Id-Version: fibre-dispatch
Language: {language}
MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit
Plural-Forms: {plurals}
"""
PLURALS = {"de": "nplurals=2; plural=(n != 1);"}
DOMAINS = ("django", "djangojs")


class Unreadable(Exception):
    """A text that no catalogue can hold, since it is put together while the program runs."""


@dataclass(frozen=True)
class Text:
    """`many` where the text counts something."""

    one: str
    many: str = ""


Words = dict[Text, tuple[str, ...]]


# --- what the sources say ---


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
    texts = [Text(_plain(one[1])) for one in SAID.finditer(source)]
    texts += [Text(_plain(one[1]), _plain(one[2])) for one in COUNTED_IN_SCRIPT.finditer(source)]
    if len(texts) != len(ANY_SAYING.findall(source)):
        raise Unreadable(f"{len(texts)} texts in {len(ANY_SAYING.findall(source))} calls of _() and plural()")
    yield from texts


def _plain(quoted: str) -> str:
    return str(ast.literal_eval(quoted))


# --- catalogues: only what we write ourselves, msgid, msgid_plural, msgstr ---


def languages() -> list[str]:
    return sorted(path.name for path in (ROOT / "locale").iterdir() if path.is_dir())


def file_of(language: str, domain: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def read(source: str) -> Words:
    """Text → its words, one for each of the language's numbers; empty words where there are none yet."""
    found: Words = {}
    for block in source.split("\n\n"):
        fields = _fields(block)
        if fields.get("msgid"):
            text = Text(fields["msgid"], fields.get("msgid_plural", ""))
            found[text] = tuple(said for name, said in fields.items() if name.startswith("msgstr"))
    return found


def _fields(block: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        named, _blank, quoted = line.partition(" ") if line.startswith("msg") else (name, "", line)
        if named and quoted.startswith('"'):
            name = named
            fields[name] = fields.get(name, "") + _plain(quoted)
    return fields


def written(language: str, words: Words) -> str:
    header = HEADER.format(language=language, plurals=PLURALS[language])
    lines = "\n".join(_quoted(f"{line}\n") for line in header.splitlines())
    blocks = [_block(text, words[text]) for text in sorted(words, key=lambda text: (text.one, text.many))]
    return "\n\n".join([f'msgid ""\nmsgstr ""\n{lines}', *blocks]) + "\n"


def _block(text: Text, said: tuple[str, ...]) -> str:
    if not text.many:
        return f"msgid {_quoted(text.one)}\nmsgstr {_quoted(said[0])}"
    counted = [f"msgstr[{at}] {_quoted(one)}" for at, one in enumerate(said)]
    return "\n".join([f"msgid {_quoted(text.one)}", f"msgid_plural {_quoted(text.many)}", *counted])


def _quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def compiled(language: str, words: Words) -> bytes:
    """The .mo file (GNU gettext manual, 10.3): sorted texts, then their words, found by offset."""
    header = HEADER.format(language=language, plurals=PLURALS[language])
    pairs = {"": header} | {
        text.one + (f"\0{text.many}" if text.many else ""): "\0".join(said)
        for text, said in words.items()
        if all(said)
    }
    keys = sorted(pairs, key=str.encode)
    texts, said = [key.encode() for key in keys], [pairs[key].encode() for key in keys]
    start = 28 + 16 * len(keys)
    tables, body = b"", b""
    for one in (*texts, *said):
        tables += struct.pack("<II", len(one), start + len(body))
        body += one + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, start)
    return head + tables + body


# --- both together ---


def untranslated(words: Words, used: Iterable[Text]) -> list[Text]:
    return [text for text in used if not all(words.get(text, ("",)))]


def same_places(text: Text, said: tuple[str, ...]) -> bool:
    """Each `%(name)s` and `{name}` of the text stands in the words, and no other."""
    wanted = set(PLACE.findall(text.one + text.many))
    return set().union(*(PLACE.findall(one) for one in said)) == wanted


def brought_up(words: Words, used: Iterable[Text]) -> Words:
    """The texts in use, with the words that are there."""
    return {text: words.get(text, ("", "") if text.many else ("",)) for text in used}


def wrong_with(language: str, domain: str) -> list[str]:
    """Sentences about what --check finds; empty when every text in use has its words."""
    path, used = file_of(language, domain), in_use(domain)
    source = path.read_text()
    words = read(source)
    lines = [f"no words yet: {text.one!r} ({min(used[text])})" for text in untranslated(words, used)]
    lines += [f"not used any more: {text.one!r}" for text in words if text not in used]
    if path.with_suffix(".mo").read_bytes() != compiled(language, words):
        lines.append("the .mo file is of another .po file")
    return [f"{language}/{domain}: {line}" for line in lines]


def bring_up_to_date(language: str, domain: str) -> int:
    """Writes .po and .mo; how many texts have no words yet."""
    path, used = file_of(language, domain), in_use(domain)
    words = brought_up(read(path.read_text()) if path.exists() else {}, used)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(language, words))
    path.with_suffix(".mo").write_bytes(compiled(language, words))
    return len(untranslated(words, used))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--check", action="store_true")
    both = [(language, domain) for language in languages() for domain in DOMAINS]
    if asked.parse_args().check:
        wrong = [line for one in both for line in wrong_with(*one)]
        sys.exit("\n".join(wrong) or None)
    for language, domain in both:
        print(f"{language}/{domain}: {bring_up_to_date(language, domain)} without words")


if __name__ == "__main__":
    main()
