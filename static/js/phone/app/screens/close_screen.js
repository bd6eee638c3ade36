// The last page: what is sent to the seller, then one tap.

import { getDraft, saveDraft, saveSentDraft } from "../drafts.js";
import { findInput, h, icon, inputAt } from "../dom.js";
import { checkField, contradictingQuestions, contradictionProblems, lineProblems, refusedStepUrl, remainingProblems, validateForm, validateClosure } from "../closure_rules.js";
import { displayAnswer } from "../answer_validation.js";
import { navigateFrom, render } from "../router.js";
import { closeUrl, findClosure, DEFAULT_WIZARD, listQuestions, questionUrl, jobUrl } from "../workflow.js";
import { clearProblem, onTap, showProblems, problemsAt, recordActions } from "../actions.js";
import { _, plural } from "../i18n.js";
import { draftInput, inputElement, stepForm } from "./answer_fields.js";
import { described, fieldProblem, firstProblemUrl, stepLayout, problemAt, problemList } from "./step_layout.js";
import * as parts from "./components.js";
import { PENDING } from "../queue_states.js";

/** @param {JobContext} context */
export async function closeScreen(context) {
  const { job, matrix, search, path } = context;
  const closure = findClosure(job, search.get("code") ?? "");
  const url = `${path}?code=${closure.code}`;
  const draft = await getDraft(url);
  // the address alone decides: a draft would overrule a new choice in "Can't complete"
  const secondary = search.get("secondary") ?? "";
  const wizard = closure.succeeds ? DEFAULT_WIZARD : { ...DEFAULT_WIZARD, closing: closure.code, secondary };
  const found = validateClosure(job, matrix, { closure, secondary, wizard }).filter((problem) => !problem.field);
  const isClear = !found.some(({ blocks }) => blocks);
  const refused = refusalProblems(job, matrix, closure, wizard);
  /** @type {Ending} */
  const ending = { job, closure, secondary, wizard, url, draft: draft ?? {}, problems: [...refused, ...problemsAt(path)] };
  const before = closure.succeeds ? jobUrl(job, "review") : jobUrl(job, "cant-complete");
  return stepLayout({ ...context, wizard }, {
    name: "close",
    title: _("Close job"),
    back: before,
    problems: refused,
    body: [
      h("h1", { id: "question" }, _("Close job")),
      h("p.phone-hint", {}, _("Check it now: once the job is closed you can't change it yourself.")),
      closureSummary(job, matrix, closure),
      h("p", {}, h("a.phone-change", { href: before }, _("Change outcome"))),
      problemList(found, isClear),
      stepForm(onTap(() => closeJob(context, ending)), checkFields(ending, matrix), secondaryField(ending), remarksField(ending)),
    ],
    ways: "",
    bar: mainAction(found, isClear),
  });
}

/** @param {ScreenProblem[]} found @param {boolean} isClear */
function mainAction(found, isClear) {
  if (isClear) return parts.mainButton(_("Close job"));
  return firstProblemUrl(found) && parts.mainLink(firstProblemUrl(found), _("Show what's missing"));
}

// Each leads to what the server found missing for this outcome, as long as it is missing.
/** @param {Job} job @param {Matrix} matrix @param {ClosureCode} closure @param {Wizard} wizard */
function refusalProblems(job, matrix, { code }, wizard) {
  const rows = /** @type {RefusedClosing[]} */ (job.refused.filter(({ entry }) => entry.kind === "close" && entry.body.code === code));
  const remaining = rows.flatMap((row) => remainingProblems(job, matrix, row));
  return remaining.map(({ message, where = "" }) => ({ message, url: refusedStepUrl(job, where, wizard) }));
}

/** @param {Job} job @param {Matrix} matrix @param {ClosureCode} closure */
function closureSummary(job, matrix, closure) {
  const questions = listQuestions(job, matrix, closure.code).filter(({ code }) => code in job.answers);
  const photos = /** @type {string[]} */ (questions.filter(({ code }) => Array.isArray(job.answers[code])).flatMap(({ code }) => job.answers[code]));
  const here = photos.filter((id) => job.photos?.[id]?.row?.state === PENDING).length;
  const later = here > 0 && ` · ${plural("%(number)s waiting to send: it is sent first", "%(number)s waiting to send: they are sent first", here)}`;
  /** @param {string} name @param {...NestedChild} value */
  const line = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  return h(
    "dl.phone-facts",
    {},
    line(_("Outcome"), h("b", {}, closure.in_trade_words)),
    line(_("Code"), h("span.code", {}, closure.code), ` ${closure.description}`),
    line(_("Answers"), String(questions.length)),
    line(_("Photos"), String(photos.length), later),
  );
}

// One tick for each answer that does not match; it counts for the answer as it is now.
/** @param {Ending} ending @param {Matrix} matrix */
function checkFields(ending, matrix) {
  const questions = contradictingQuestions(ending.job, matrix, ending.closure);
  if (!questions.length) return "";
  const hint = ending.closure.succeeds
    ? _("They don't match a completed job. Change the answer, or tick that you have checked it.")
    : _("They don't match this outcome. Change the answer, or tick that you have checked it.");
  return h(
    "fieldset.phone-checks",
    {},
    h("legend", {}, _("Check these answers")),
    h("p.hint", {}, hint),
    questions.map((question) => answerCheck(question, ending)),
  );
}

/** @param {Question} question @param {Ending} ending */
function answerCheck(question, { job, wizard, draft, url, problems }) {
  const name = checkField(question);
  const answer = String(job.answers[question.code]);
  /** @param {{ target: EventTarget | null }} event */
  const onchange = ({ target }) => {
    clearProblem(name);
    return saveDraft(url, { [name]: /** @type {HTMLInputElement} */ (target).checked ? answer : "" });
  };
  const problem = problemAt(problems, name) && _("Tick this, or change the answer.");
  const input = h("input", { type: "checkbox", id: name, name: "checked", value: question.code, onchange, ...described(name, problem) });
  input.checked = draft[name] === answer;
  return h(
    "div.phone-answer-check",
    {},
    h("p", {}, question.text, " ", h("b", {}, displayAnswer(question, job.answers[question.code]))),
    fieldProblem(name, problem),
    h("label.phone-check", {}, input, " ", _("I have checked this"), h("span.visually-hidden", {}, `: ${question.text}`)),
    h("a.phone-change", { href: questionUrl(job, question, wizard) }, _("Change"), h("span.visually-hidden", {}, `: ${question.text}`)),
  );
}

/** @param {Ending} ending */
function secondaryField({ job, closure, secondary, problems }) {
  if (!closure.secondaries.length) return "";
  /** @param {ClosureCode["secondaries"][number]} secondary */
  const choice = ({ code, description }) => {
    const onchange = () => {
      clearProblem("secondary");
      history.replaceState(null, "", closeUrl(job, closure.code, code));
      return render();
    };
    const input = h("input", { type: "radio", id: code, name: "secondary_code", value: code, onchange });
    input.checked = code === secondary;
    return h("label.phone-check", {}, input, ` ${description}`);
  };
  const problem = problemAt(problems, "secondary");
  return h(
    "fieldset.phone-secondaries",
    // a fieldset of another role cannot be invalid
    { role: "radiogroup", "aria-labelledby": "secondary-title", ...described("secondary", problem) },
    h("legend", { id: "secondary-title" }, _("Reason")),
    fieldProblem("secondary", problem),
    closure.secondaries.map(choice),
  );
}

// Asked for before somebody taps: a success on a line that is down needs a reason.
/** @param {Job} job @param {ClosureCode} closure */
function lineNotice(job, closure) {
  const [problem] = lineProblems(job, closure, "");
  return problem && h("p.notice.notice-warning", { "data-line-down": true }, icon("warning"), " ", h("a", { href: problem.url }, problem.message));
}

/** @param {Ending} ending */
function remarksField({ job, closure, draft, url, problems }) {
  const value = draft.remarks ?? "";
  const attributes = { id: "remarks", name: "remarks", rows: 3, value, oninput: draftInput(url, "remarks") };
  const problem = problemAt(problems, "remarks");
  return h(
    `div.field${problem ? ".field-wrong" : ""}`,
    {},
    lineNotice(job, closure),
    h("label", { for: "remarks" }, _("Remarks for the seller")),
    fieldProblem("remarks", problem),
    inputElement("textarea", attributes, problem),
  );
}

/** @param {JobContext} context @param {Ending} ending */
async function closeJob({ job, matrix, path }, { closure, wizard, url }) {
  const chosen = findInput("input[name=secondary_code]:checked")?.value ?? "";
  const ticked = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[name=checked]:checked"));
  const checked = [...ticked].map(({ value }) => value);
  const body = { code: closure.code, secondary_code: chosen, remarks: inputAt("#remarks").value.trim(), checked };
  const unchecked = contradictionProblems(job, matrix, { closure, wizard, checked }).filter(({ blocks }) => blocks);
  const missing = [...unchecked, ...validateForm(job, closure, { secondary: chosen, remarks: body.remarks })];
  /** @type {Record<string, string>} */
  const fields = { secondary: `#${closure.secondaries[0]?.code}` };
  if (missing.length) return showProblems(missing.map(({ message, field: name = "" }) => ({ message, field: name, url: fields[name] ?? `#${name}` })));
  await recordActions(job, [{ kind: "close", body }]);
  // it stays until the server has closed the job: a closing may be refused hours later
  saveSentDraft(url, { remarks: body.remarks });
  return navigateFrom(path, jobUrl(job));
}
