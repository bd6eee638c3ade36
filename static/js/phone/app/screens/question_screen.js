// One question: its text, the answer so far, and the input for it.

import { refusedPhotos, rejectionText } from "../camera/photo_rejections.js";
import { getDraft, deleteDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { currentAdvice } from "../provisioning_advice.js";
import { draftFromEntry } from "../refused_drafts.js";
import { navigateFrom } from "../router.js";
import { hasOfficePhone, officeUrl, callOfficeText } from "../office_phone.js";
import { backUrl, DEFAULT_WIZARD, nextUrl, questionUrl, jobUrl } from "../workflow.js";
import { onTap, showProblems, dropRefused, problemsAt, latestJob, recordActions } from "../actions.js";
import { validateAnswer, displayAnswer } from "../answer_validation.js";
import { _, fill } from "../i18n.js";
import { choiceFields, numberField, textField } from "./answer_fields.js";
import { stepLayout, secondaryLink } from "./step_layout.js";
import { lineLink } from "./line_section.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";
import { noSuchPageScreen } from "./not_found_screen.js";

/** @type {Record<string, (context: JobContext, asked: AskedQuestion<any>) => FieldParts>} */
const FIELDS = { yes_no: choiceFields, choice: choiceFields, number: numberField, text: textField };
/** @param {Question} question */
const isPicture = ({ kind }) => !(kind in FIELDS);

/** @param {JobContext} context @returns {Promise<PhoneScreen>} */
export async function questionScreen(context) {
  const { job, matrix, code, wizard, path } = context;
  const question = matrix.questions.find((candidate) => candidate.code === code && candidate.job_types.includes(job.type));
  if (!question) return noSuchPageScreen(job);
  const answer = job.answers[code];
  /** @type {AskedQuestion} */
  const asked = {
    question,
    answer,
    isAnswered: answer !== undefined,
    draft: (await getDraft(path)) ?? refusedDraft(job, question),
    problems: [...refusalProblems(context, question), ...problemsAt(path)],
    save: (value) => saveAnswer(context, question, value),
    onward: (after) => nextUrl(after.job, after.matrix, { ...wizard, after: code }),
    nextUrl: nextUrl(job, matrix, { ...wizard, after: code }),
  };
  const isStopped = !wizard.closing && isUnsafe(asked);
  const field = await (isPicture(question) ? await loadPhotoAnswer() : FIELDS[question.kind])(context, asked);
  return stepLayout(context, {
    name: "question",
    title: question.text,
    back: backUrl(job, matrix, question, wizard),
    problems: refusalProblems(context, question),
    body: [adviceNotice(context), question.stage === "safety" && jobParts.farAwayNotice(job), jobParts.progressBar(job, matrix, wizard.closing), jobParts.sentBackNotice(job, question), questionHeading(asked), isStopped && stopNotice(question), field.body],
    ways: secondaryActions(context, asked, isStopped),
    bar: isStopped ? hasOfficePhone() && parts.mainLink(officeUrl(), callOfficeText()) : field.bar,
  });
}

// The camera is a third of the application, and not for the first page.
const loadPhotoAnswer = async () => (await import("./photo_answer.js")).photoAnswer;

/** @param {AskedQuestion} asked */
const isUnsafe = ({ question, answer }) => (question.unsafe ?? []).includes(/** @type {AnswerValue} */ (answer));

/** @param {AskedQuestion} asked */
function questionHeading(asked) {
  const { question, answer } = asked;
  // no tick above a stop
  const [look, sign] = isUnsafe(asked) ? [".phone-answered-unsafe", "warning"] : ["", "check"];
  return [
    h("h1", { id: "question" }, question.text),
    question.hint && h("p.phone-hint", { id: "question-hint" }, question.hint),
    answer !== undefined && h(`p.phone-answered${look}`, {}, icon(sign), " ", h("span", {}, `${_("Your answer:")} `, h("b", {}, displayAnswer(question, answer)))),
  ];
}

// The seller's result, for somebody who answers questions while waiting for it.
/** @param {JobContext} context */
function adviceNotice({ job, wizard }) {
  const advice = currentAdvice(job.advice);
  if (!wizard.whileWaiting || !advice) return "";
  const { tone, title } = advice;
  const link = h("a", { href: jobUrl(job, "provisioning") }, title);
  return h(`p.notice.notice-${tone}`, {}, icon(tone === "good" ? "check" : tone === "alarm" ? "warning" : "clock"), " ", link);
}

// Work ends here until the answer is another one.
/** @param {Question} question */
function stopNotice({ advice: text }) {
  const consequence = _("The office is alerted as soon as there is signal.");
  return h("div.notice.notice-alarm", { role: "alert", "data-stop": true }, icon("warning"), h("div", {}, h("h2", {}, _("Stop")), h("p", {}, text), h("p", {}, consequence)));
}

// The outcome for a site that is unsafe, with its second choice where it has one.
/** @param {JobContext} context */
function leaveSiteLink({ job, matrix }) {
  const closure = job.closures.find(({ from_safe_place: isUnsafe }) => isUnsafe);
  if (!closure) return "";
  const url = closure.secondaries.length ? `${jobUrl(job, "cant-complete")}?${new URLSearchParams({ code: closure.code })}` : nextUrl(job, matrix, { ...DEFAULT_WIZARD, closing: closure.code });
  return secondaryLink(url, "x", fill(_("Can't complete: %(reason)s"), { reason: closure.in_trade_words }));
}

/** @param {JobContext} context @param {AskedQuestion} asked @param {boolean} isStopped */
function secondaryActions(context, { question, isAnswered, nextUrl: skipTo }, isStopped) {
  const isOptional = question.mandatory === false && !isAnswered;
  return h(
    "div.phone-more-actions",
    {},
    isStopped && leaveSiteLink(context),
    question.line_check && lineLink(context.job),
    isOptional && secondaryLink(skipTo, "", _("Skip (optional)")),
    isAnswered && h("button.phone-button", { type: "button", onclick: onTap(() => clearAnswer(context, question)) }, icon("undo"), " ", _("Clear this answer")),
    // on the way to an outcome without success the link leads to another one
    jobParts.cantCompleteLink(context.job, context.wizard.closing ? _("Different outcome") : _("Can't complete")),
  );
}

/** @type {(question: Question) => (entry: QueueEntry) => boolean} */
const isOf = (question) => ({ kind, body }) => kind === "answered" && body.question === question.code;

/** @param {Job} job @param {Question} question */
function refusedDraft({ refused }, question) {
  const row = refused.findLast(({ entry }) => isOf(question)(entry));
  return row ? draftFromEntry(row.entry, question) : null;
}

// What the server did not take of this very question.
/** @param {JobContext} context @param {Question} question @returns {ScreenProblem[]} */
function refusalProblems({ job }, question) {
  const rows = job.refused.filter(({ entry }) => isOf(question)(entry));
  // the field that is there: a picture is taken, not typed
  const at = isPicture(question) ? { url: "#photo" } : { url: "#value", field: "value" };
  const photos = refusedPhotos(job, question).map((row) => ({ message: rejectionText(row), url: "#photo" }));
  return [...rows.flatMap((row) => row.problems.map(({ message }) => ({ message, ...at }))), ...photos];
}

/** @param {JobContext} context @param {Question} question @param {() => string} value */
const saveAnswer = (context, question, value) =>
  onTap(async () => {
    const { job, path, wizard } = context;
    const result = validateAnswer(question, value());
    if (result.problem !== undefined) return showProblems([{ message: result.problem, url: "#value", field: "value" }]);
    const after = await recordAnswer(job, question, result.value);
    deleteDraft(path);
    await dropRefused(job, isOf(question));
    return navigateFrom(path, nextUrl(after.job, after.matrix, { ...wizard, after: question.code }));
  })();

// The same answer again changes nothing.
/** @param {Job} job @param {Question} question @param {AnswerValue} value */
async function recordAnswer(job, question, value) {
  const before = await latestJob(job);
  if (before.job.answers[question.code] === value) return before;
  return recordActions(job, [{ kind: "answered", body: { question: question.code, value } }]);
}

/** @param {JobContext} context @param {Question} question */
async function clearAnswer({ job, wizard, path }, question) {
  await recordActions(job, [{ kind: "answer_withdrawn", body: { question: question.code } }]);
  deleteDraft(path);
  await navigateFrom(path, questionUrl(job, question, wizard));
}
