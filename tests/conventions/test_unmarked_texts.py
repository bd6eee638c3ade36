"""Every text that a person reads is marked for translation; the catalogue's test then asks for its German."""

import pytest

from tests.conventions.sources import OURS, Source, python, read
from tests.conventions.unmarked_script_texts import unmarked_in_script
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


def test_scripts_mark_what_people_read() -> None:
    sources = [source for source in read(("static/js",), ".js") if "/built/" not in source.path]

    assert [line for source in sources for line in unmarked_in_script(source)] == []


def script_findings(text: str) -> list[str]:
    return unmarked_in_script(Source("static/js/phone/app/example.js", text))


def test_unmarked_text_of_a_script_is_named_with_its_line() -> None:
    text = '// h("p", {}, "Plain")\nreturn h("p", {},\n  "Too large.");'

    assert script_findings(text) == ["static/js/phone/app/example.js:3 Too large."]


@pytest.mark.parametrize(
    "text",
    [
        'const x = { message: "Too large." };',
        'field.textContent = "Too large.";',
        'h("p", {}, "Plain text")',
        "h('p.muted', { id: 'x' }, icon('phone'), ' ', 'Plain text')",
        'h("p", {}, `${number} jobs`)',
        'h("p", {}, isOpen ? "Open" : _("Closed"))',
        'h("p", {}, ["Open", h("b", {}, name)])',
        'h("p", {}, isOpen && "open")',
        'h("ul", {}, rows.map((row) => h("li", {}, "Row ", row.name)))',
        'h("img", { alt: "The label" })',
        'h("section", { "aria-label": isOpen ? "Open jobs" : _("Jobs") })',
        'const clean = text.replace(/["\']/g, ""); h("p", {}, "Plain")',
        'mainButton("Continue", next)',
    ],
)
def test_plain_text_of_a_script_is_found(text: str) -> None:
    assert len(script_findings(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{ message: _("Too large.") }',
        "{ label: field.label }",
        'text: "en-gb"',
        'h("p", {}, _("Plain text"), " · ", name)',
        'h("p.muted", { id: "title", role: "status" }, fill(_("%(number)s jobs"), { number }))',
        'h("p", {}, job.state === "on_site" ? _("On site") : "")',
        'h("p", {}, rows["first"], icon("phone"), `${number} %`)',
        'h("p", {}, time.format("HH"))',
        '/* h("p", {}, "Plain") */',
        'const pattern = /h("p", {}, "Plain")/;',
        'element.dataset.kind = "Photo";',
    ],
)
def test_marked_text_of_a_script_is_let_through(text: str) -> None:
    assert script_findings(text) == []


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
