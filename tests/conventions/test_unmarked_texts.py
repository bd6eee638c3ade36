"""Every text that a person reads is marked for translation; the catalogue's test then asks for its German."""

import re

import pytest

from tests.conventions.sources import OURS, Source, python, read
from tests.conventions.unmarked_texts import unmarked_in_python, unmarked_in_template

# a wire fault goes to the seller's programmers; the conformance run and the demo are developers' tools
FOR_DEVELOPERS = ("seller_link/wire/", "seller_link/conformance/", "seller_link/server/", "demo/")


def python_findings(text: str) -> list[str]:
    return unmarked_in_python(Source("board/example.py", text))


def template_findings(text: str) -> list[str]:
    return unmarked_in_template(Source("templates/example.html", text))


def test_python_marks_what_people_read() -> None:
    sources = [source for source in python(*OURS) if not source.path.startswith(FOR_DEVELOPERS)]

    assert [line for source in sources for line in unmarked_in_python(source)] == []


def test_templates_mark_what_people_read() -> None:
    assert [line for source in read(("templates",), ".html") for line in unmarked_in_template(source)] == []


# what a script shows or hands to something that shows it
SHOWN_BY_SCRIPT = re.compile(
    r"""(?:\b(?:message|title|hint|label|text|placeholder): |textContent = |"aria-label": )["'`][A-Z][a-z]+[ .,]"""
)


def unmarked_in_script(source: Source) -> list[str]:
    return [
        f"{source.path}:{number} shows a text that is not marked"
        for number, line in enumerate(source.text.splitlines(), 1)
        if SHOWN_BY_SCRIPT.search(line)
    ]


def test_scripts_mark_what_people_read() -> None:
    sources = [source for source in read(("static/js",), ".js") if "/built/" not in source.path]

    assert [line for source in sources for line in unmarked_in_script(source)] == []


def test_unmarked_text_of_a_script_is_named() -> None:
    found = unmarked_in_script(
        Source("static/js/phone/app/example.js", 'const x = { message: "Too large." };')
    )

    assert found == ["static/js/phone/app/example.js:1 shows a text that is not marked"]


@pytest.mark.parametrize("text", ['{ message: _("Too large.") }', "{ label: field.label }", 'text: "en-gb"'])
def test_marked_text_of_a_script_is_let_through(text: str) -> None:
    assert unmarked_in_script(Source("static/js/phone/app/example.js", text)) == []


@pytest.mark.parametrize(
    "text",
    [
        'Problem("late", "job", "The job is closed.")',
        'Problem("late", "job", f"Job {job} is closed.")',
        'Problem("late", "job", message="The job is closed.")',
        'Problem("late", "job", "Job %s is closed." % job)',
        'def f(job):\n    message = "The job is closed."\n    raise Refused([Problem("late", "job", message)])',
        'CLOSED = "The job is closed."\n\ndef f():\n    return Problem("late", "job", CLOSED)',
        'Problem("late", "job", _("Closed.") if closed else "Open.")',
        'raise forms.ValidationError("Choose a file.")',
        'form.add_error("file", "Choose a file.")',
        'messages.success(request, "Saved.")',
        'messages.error(request, f"{job} was not saved.")',
        'forms.CharField(label="Reason")',
        'forms.CharField(help_text="Why you do it.")',
        'forms.CharField(error_messages={"required": "Enter a reason."})',
        'JsonResponse({"error": "busy", "message": "Try again."}, status=503)',
    ],
)
def test_plain_text_in_python_is_found(text: str) -> None:
    assert len(python_findings(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        'Problem("late", "job", _("The job is closed."))',
        'Problem("late", "job", _("Job %(job)s is closed.") % {"job": job})',
        'def f(job):\n    message = _("The job is closed.")\n    raise Refused([Problem("late", "job", message)])',
        'Problem("late", "job", str(refusal))',
        'from rest_framework import serializers\nserializers.CharField(help_text="Staff number.")',
        'Problem(code, where, f"{one.field}: {one.message}")',
        'Problem("late", "job", "")',
        'forms.CharField(label=gettext_lazy("Reason"), error_messages={"required": gettext_lazy("Enter it.")})',
        'messages.success(request, _("Saved."))',
        'log.error(request, "not for people")',
        'JsonResponse({"error": "busy", "message": message}, status=503)',
    ],
)
def test_marked_text_in_python_passes(text: str) -> None:
    assert python_findings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<p>Saved</p>",
        "{% if saved %}Saved{% endif %}",
        '<img alt="A photo" src="a.jpg">',
        "<input placeholder='Postcode'>",
        '{% translate "Job" %} number {{ number }}',
    ],
)
def test_plain_text_in_a_template_is_found(text: str) -> None:
    assert len(template_findings(text)) == 1


def test_finding_in_a_template_names_its_line() -> None:
    assert template_findings("{# of the board #}\n<h1>\n  Board</h1>") == ["templates/example.html:3 Board"]


@pytest.mark.parametrize(
    "text",
    [
        '<p class="hint">{% translate "Saved" %}: {{ count }} · 3 × 4 &rsaquo;</p>',
        "<h1>{% blocktranslate count n=n %}{{ n }} job{% plural %}{{ n }} jobs{% endblocktranslate %}</h1>",
        "<script>const word = 1;</script><code>job_id</code>{# a comment #}<!-- another -->",
        "<img alt=\"{% translate 'A photo' %}\"><td>{{ milliseconds }} ms</td>",
        "{% comment %}not shown{% endcomment %}",
    ],
)
def test_marked_text_in_a_template_passes(text: str) -> None:
    assert template_findings(text) == []
