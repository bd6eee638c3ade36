// Input for the kinds of answer: large buttons that save at once, a number with its range, a text. What is typed is a
// draft.

import { h, icon, inputAt, noBreak } from "../dom.js";
import { saveDraft } from "../drafts.js";
import { networkType } from "../closure_rules.js";
import { render } from "../router.js";
import { clearProblem } from "../actions.js";
import { validateAnswer, allowedRange, displayAnswer, expectedRange, rangeWarning, YES_NO } from "../answer_validation.js";
import { _, fill } from "../i18n.js";
import { fieldProblem, problemAt } from "./step_layout.js";
import * as parts from "./components.js";

const PAUSE_MS = 400;
/** @type {ReturnType<typeof setTimeout> | 0} */
let pause = 0;

// Keeps each keystroke under `address`; the page validates it when the typing pauses.
/** @param {string} address @param {string} name @returns {(event: { target: EventTarget | null }) => void} */
export function draftInput(address, name) {
  return ({ target }) => {
    saveDraft(address, { [name]: /** @type {TextInput} */ (target).value });
    clearProblem(name);
    clearTimeout(pause);
    pause = setTimeout(render, PAUSE_MS);
  };
}

// The value is a property, so that typing does not make the page look changed.
/** @template {"input" | "textarea"} Tag @param {Tag} tag @param {Attributes & { id: string, value: string }} attributes @param {string} [problem] @returns {HTMLElementTagNameMap[Tag]} */
export function inputElement(tag, { id, value, ...attributes }, problem) {
  const describedBy = [attributes["aria-describedby"], problem && `${id}-problem`].filter(Boolean).join(" ") || null;
  const element = /** @type {TextInput} */ (h(tag, { id, ...attributes, "aria-invalid": problem ? "true" : null, "aria-describedby": describedBy }));
  element.value = value;
  return /** @type {HTMLElementTagNameMap[Tag]} */ (element);
}

/** @param {() => unknown} save @param {...NestedChild} children */
export function stepForm(save, ...children) {
  /** @param {Event} event */
  const onsubmit = (event) => {
    event.preventDefault();
    return save();
  };
  return h("form", { id: "step", novalidate: true, "aria-labelledby": "question", onsubmit }, children);
}

/** @param {JobContext} _context @param {AskedQuestion} asked @returns {FieldParts} */
export function choiceFields(_context, { question, answer, isAnswered, nextUrl, save }) {
  const options = question.kind === "choice" ? question.choices : YES_NO();
  /** @param {Choice} choice */
  const button = ({ code, text }) => {
    const isChosen = code === answer;
    const onclick = () => save(() => code);
    const mark = isChosen && [" ", icon("check"), h("span.visually-hidden", {}, _("(your answer)"))];
    return h(`button.phone-choice${isChosen ? ".phone-choice-chosen" : ""}`, { type: "button", value: code, onclick }, text, mark);
  };
  return {
    body: h("div.phone-step", { id: "value", role: "group", tabindex: "-1", "aria-labelledby": "question" }, options.map(button)),
    bar: isAnswered && parts.mainLink(nextUrl, _("Continue")),
  };
}

/** @param {JobContext} context @param {AskedQuestion<NumberQuestion>} asked @returns {FieldParts} */
export function numberField({ job, path }, { question, answer, draft, problems, save }) {
  const value = draft?.value ?? (answer === undefined ? "" : displayAnswer(question, answer).replace(` ${question.unit}`, ""));
  const result = validateAnswer(question, value);
  const doubt = result.problem ? "" : rangeWarning(question, result.value, networkType(job));
  // corrected while it is typed
  const problem = draft && !result.problem ? "" : problemAt(problems, "value");
  const attributes = { id: "value", name: "value", type: "text", inputmode: keypad(question), autocomplete: "off", value, "data-signed": question.minimum < 0, "data-autofocus": answer === undefined, "aria-describedby": "question value-usual" };
  const input = inputElement("input", { ...attributes, oninput: draftInput(path, "value") }, problem);
  return {
    body: stepForm(
      () => save(() => inputAt("#value").value),
      h(
        `div.field${problem ? ".field-wrong" : ""}`,
        {},
        h("label", { for: "value" }, noBreak(fill(question.decimals ? _("Number, %(window)s") : _("Whole number, %(window)s"), { window: allowedRange(question) }))),
        h("p.hint", { id: "value-usual" }, noBreak(expectedRangeText(job, question))),
        fieldProblem("value", problem),
        h("div.phone-number", {}, input, " ", h("span.phone-unit", {}, question.unit), question.minimum < 0 && signButton(path)),
      ),
      h("div.phone-value-warning", { "aria-live": "polite" }, doubt && h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, doubt))),
    ),
    bar: parts.mainButton(doubt ? _("That's right, save") : _("Save and continue")),
  };
}

// A key for the point only where one may be typed.
/** @param {NumberQuestion} question */
const keypad = ({ decimals, minimum }) => (decimals || minimum < 0 ? "decimal" : "numeric");

/** @param {Job} job @param {Question} question */
function expectedRangeText(job, question) {
  const window = expectedRange(question, networkType(job));
  if (!window) return "";
  const network = networkType(job);
  return network ? fill(_("Expected on %(network)s: %(window)s"), { network, window }) : fill(_("Expected: %(window)s"), { window });
}

// Phone keypads lack the minus sign.
/** @param {string} path */
function signButton(path) {
  const turn = () => {
    const input = inputAt("#value");
    const text = input.value.trim();
    input.value = /^[-−]/.test(text) ? text.slice(1) : `−${text}`;
    input.focus();
    draftInput(path, "value")({ target: input });
  };
  return h("button.phone-button", { type: "button", "data-minus": true, "aria-label": _("Change the sign"), onclick: turn }, "±");
}

/** @param {JobContext} context @param {AskedQuestion} asked @returns {FieldParts} */
export function textField({ job, path }, { question, answer, draft, problems, save }) {
  // what the check of the line found is offered, not kept until somebody saves it
  const offered = question.line_check ? job.line_check?.answer : "";
  const problem = draft?.value ? "" : problemAt(problems, "value");
  const attributes = { id: "value", name: "value", rows: 4, value: draft?.value ?? String(answer ?? offered ?? ""), "data-autofocus": answer === undefined && !offered, "aria-describedby": "question", oninput: draftInput(path, "value") };
  return {
    body: stepForm(
      () => save(() => inputAt("#value").value),
      h(
        `div.field${problem ? ".field-wrong" : ""}`,
        {},
        h("label", { for: "value" }, _("In your own words")),
        fieldProblem("value", problem),
        inputElement("textarea", attributes, problem),
      ),
    ),
    bar: parts.mainButton(_("Save and continue")),
  };
}
