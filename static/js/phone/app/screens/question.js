// One question: what is asked, the answer so far, and the way to give it.

import { draftAt, dropDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { go } from "../router.js";
import { backUrl, nextUrl, questionUrl, urlOf } from "../steps.js";
import { once, refuse, replaceRefused, slipAt, standing, tap } from "../taps.js";
import { clean, shown } from "../values.js";
import { _ } from "../words.js";
import { choiceFields, numberField, textField } from "./fields.js";
import { frame, way } from "./frame.js";
import * as parts from "./parts.js";
import { gone } from "./unknown.js";

const FIELDS = { yes_no: choiceFields, choice: choiceFields, number: numberField, text: textField };

export async function questionScreen(context) {
  const { job, matrix, code, trail, path } = context;
  const question = matrix.questions.find((one) => one.code === code && one.job_types.includes(job.type));
  if (!question) return gone(context);
  const answer = job.answers[code];
  const asked = {
    question,
    answer,
    isAnswered: answer !== undefined,
    draft: await draftAt(path),
    problems: [...refusals(context, question), ...slipAt(path)],
    save: (value) => save(context, question, value),
    onward: (after) => nextUrl(after.job, after.matrix, { ...trail, after: code }),
    nextUrl: nextUrl(job, matrix, { ...trail, after: code }),
  };
  const field = await (FIELDS[question.kind] ?? (await cameraPart()))(context, asked);
  return frame(context, {
    name: "question",
    title: question.text,
    back: backUrl(job, matrix, question, trail),
    problems: refusals(context, question),
    body: [advice(context), parts.progress(job, matrix, trail.closing), heading(asked), field.body],
    ways: ways(context, asked),
    bar: field.bar,
  });
}

// The camera is a third of the application, and not for the first page.
const cameraPart = async () => (await import("./photo.js")).photoPart;

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
  const { tone, title } = job.advice;
  const link = h("a", { href: urlOf(job, "provisioning") }, title);
  return h(`p.notice.notice-${tone}`, {}, icon(tone === "good" ? "check" : tone === "alarm" ? "warning" : "clock"), " ", link);
}

function ways(context, { question, isAnswered, nextUrl: skipTo }) {
  const isOptional = question.mandatory === false && !isAnswered;
  return h(
    "div.phone-ways",
    {},
    isOptional && way(skipTo, "", _("Skip, it may stay open")),
    isAnswered && h("button.phone-button", { type: "button", onclick: once(() => takeBack(context, question)) }, icon("undo"), " ", _("Take the answer back")),
    parts.cantComplete(context.job),
  );
}

const isOf = (question) => ({ kind, body }) => kind === "answered" && body.question === question.code;

// What the server did not take of this very question.
function refusals({ job }, question) {
  const rows = job.refused.filter(({ entry }) => isOf(question)(entry));
  return rows.flatMap((row) => row.problems.map(({ message }) => ({ message, url: "#value", field: "value" })));
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
