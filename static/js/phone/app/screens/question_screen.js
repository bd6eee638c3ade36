// One question: what is asked, the answer so far, and the way to give it.

import { refusedPhotos, refusedWords } from "../camera/photo_rejections.js";
import { draftAt, dropDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { currentAdvice } from "../provisioning_advice.js";
import { draftOf } from "../refused_drafts.js";
import { go } from "../router.js";
import { hasOffice, officeUrl, officeWords } from "../office_phone.js";
import { backUrl, NOWHERE_ELSE, nextUrl, questionUrl, urlOf } from "../workflow.js";
import { once, refuse, replaceRefused, slipAt, standing, tap } from "../actions.js";
import { clean, shown } from "../answer_validation.js";
import { _, fill } from "../i18n.js";
import { choiceFields, numberField, textField } from "./answer_fields.js";
import { frame, way } from "./step_layout.js";
import * as parts from "./components.js";
import { notFoundScreen } from "./not_found_screen.js";

const FIELDS = { yes_no: choiceFields, choice: choiceFields, number: numberField, text: textField };
const isPicture = ({ kind }) => !(kind in FIELDS);

export async function questionScreen(context) {
  const { job, matrix, code, trail, path } = context;
  const question = matrix.questions.find((one) => one.code === code && one.job_types.includes(job.type));
  if (!question) return notFoundScreen(context);
  const answer = job.answers[code];
  const asked = {
    question,
    answer,
    isAnswered: answer !== undefined,
    draft: (await draftAt(path)) ?? refusedDraft(job, question),
    problems: [...refusals(context, question), ...slipAt(path)],
    save: (value) => save(context, question, value),
    onward: (after) => nextUrl(after.job, after.matrix, { ...trail, after: code }),
    nextUrl: nextUrl(job, matrix, { ...trail, after: code }),
  };
  const isStopped = !trail.closing && (question.unsafe ?? []).includes(answer);
  const field = await (isPicture(question) ? await cameraPart() : FIELDS[question.kind])(context, asked);
  return frame(context, {
    name: "question",
    title: question.text,
    back: backUrl(job, matrix, question, trail),
    problems: refusals(context, question),
    body: [advice(context), question.stage === "safety" && parts.farAway(job), parts.progress(job, matrix, trail.closing), heading(asked), isStopped && stop(question), field.body],
    ways: ways(context, asked, isStopped),
    bar: isStopped ? hasOffice() && parts.mainLink(officeUrl(), officeWords()) : field.bar,
  });
}

// The camera is a third of the application, and not for the first page.
const cameraPart = async () => (await import("./photo_answer.js")).photoPart;

function heading({ question, answer, isAnswered }) {
  return [
    h("h1", { id: "question" }, question.text),
    question.hint && h("p.phone-hint", { id: "question-hint" }, question.hint),
    isAnswered && h("p.phone-answered", {}, icon("check"), " ", h("span", {}, `${_("Your answer:")} `, h("b", {}, shown(question, answer)))),
  ];
}

// The seller's word, for somebody who answers questions while waiting for it.
function advice({ job, trail }) {
  if (!trail.meanwhile || !job.advice) return "";
  const { tone, title } = currentAdvice(job.advice);
  const link = h("a", { href: urlOf(job, "provisioning") }, title);
  return h(`p.notice.notice-${tone}`, {}, icon(tone === "good" ? "check" : tone === "alarm" ? "warning" : "clock"), " ", link);
}

// Work ends here until the answer is another one.
function stop({ advice: words }) {
  const told = _("The office gets an alarm as soon as there is signal.");
  return h("div.notice.notice-alarm", { role: "alert", "data-stop": true }, icon("warning"), h("div", {}, h("h2", {}, _("Stop")), h("p", {}, words), h("p", {}, told)));
}

// The outcome for a site that is unsafe, with its second choice where it has one.
function leaveSite({ job, matrix }) {
  const closure = job.closures.find(({ from_safe_place: isUnsafe }) => isUnsafe);
  if (!closure) return "";
  const url = closure.secondaries.length ? `${urlOf(job, "cant-complete")}?${new URLSearchParams({ code: closure.code })}` : nextUrl(job, matrix, { ...NOWHERE_ELSE, closing: closure.code });
  return way(url, "x", fill(_("Can't complete: %(reason)s"), { reason: closure.in_trade_words }));
}

function ways(context, { question, isAnswered, nextUrl: skipTo }, isStopped) {
  const isOptional = question.mandatory === false && !isAnswered;
  return h(
    "div.phone-ways",
    {},
    isStopped && leaveSite(context),
    isOptional && way(skipTo, "", _("Skip (optional)")),
    isAnswered && h("button.phone-button", { type: "button", onclick: once(() => takeBack(context, question)) }, icon("undo"), " ", _("Clear this answer")),
    parts.cantComplete(context.job),
  );
}

const isOf = (question) => ({ kind, body }) => kind === "answered" && body.question === question.code;

function refusedDraft({ refused }, question) {
  const row = refused.findLast(({ entry }) => isOf(question)(entry));
  return row ? draftOf(row.entry, question) : null;
}

// What the server did not take of this very question.
function refusals({ job }, question) {
  const rows = job.refused.filter(({ entry }) => isOf(question)(entry));
  // the field that is there: a picture is taken, not typed
  const at = isPicture(question) ? { url: "#photo" } : { url: "#value", field: "value" };
  const photos = refusedPhotos(job, question).map((row) => ({ message: refusedWords(row), url: "#photo" }));
  return [...rows.flatMap((row) => row.problems.map(({ message }) => ({ message, ...at }))), ...photos];
}

const save = (context, question, value) =>
  once(async () => {
    const { job, path, trail } = context;
    const said = clean(question, value());
    if (said.problem) return refuse([{ message: said.problem, url: "#value", field: "value" }]);
    const after = await answered(job, question, said.value);
    dropDraft(path);
    await replaceRefused(job, isOf(question));
    return go(nextUrl(after.job, after.matrix, { ...trail, after: question.code }));
  })();

// The same answer again is no news for anybody.
async function answered(job, question, value) {
  const before = await standing(job);
  if (before.job.answers[question.code] === value) return before;
  return tap(job, [{ kind: "answered", body: { question: question.code, value } }]);
}

async function takeBack({ job, trail, path }, question) {
  await tap(job, [{ kind: "answer_withdrawn", body: { question: question.code } }]);
  dropDraft(path);
  await go(questionUrl(job, question, trail));
}
