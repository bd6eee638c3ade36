// All answers and photos of the job, what is missing, and the link to close it.

import { h, icon } from "../dom.js";
import { validateClosure } from "../closure_rules.js";
import { closeUrl, DEFAULT_WIZARD, listQuestions, questionUrl, successClosure } from "../workflow.js";
import { displayAnswer } from "../answer_validation.js";
import { _ } from "../i18n.js";
import { firstProblemUrl, stepLayout, problemList } from "./step_layout.js";
import { lineSection } from "./line_section.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";
import { thumbnailList } from "./thumbnails.js";

/** @param {JobContext} context */
export async function reviewScreen(context) {
  const { job, matrix } = context;
  const closure = successClosure(job);
  const found = validateClosure(job, matrix, { closure, wizard: DEFAULT_WIZARD });
  // what is typed on the closing page is not missing yet
  const missing = found.filter(({ field }) => !field);
  const isClear = !missing.some(({ blocks }) => blocks);
  const lines = await Promise.all(listQuestions(job, matrix).map((question) => answerLine(job, question, found)));
  return stepLayout(context, {
    name: "review",
    title: _("Review"),
    body: [
      h("h1", {}, _("Review")),
      jobParts.progressBar(job, matrix),
      problemList(found, isClear),
      lineSection(job),
      parts.section("answers-title", _("Your answers"), h("ul.plain-list.phone-lines", {}, lines.length ? lines : h("li.muted", {}, _("No questions yet.")))),
      isClear && h("p.phone-proposal", {}, `${_("Outcome:")} `, h("b", {}, closure.in_trade_words), " ", h("span.muted", {}, `(${closure.code})`)),
    ],
    ways: h("p.phone-more-actions", {}, jobParts.cantCompleteLink(job, _("Different outcome"))),
    bar: isClear ? parts.mainLink(closeUrl(job, closure.code), _("Continue to close")) : parts.mainLink(firstProblemUrl(missing), _("Show what's missing")),
  });
}

/** @param {Job} job @param {Question} question @param {ScreenProblem[]} found */
async function answerLine(job, question, found) {
  const answer = job.answers[question.code];
  const isOpen = answer === undefined;
  const url = questionUrl(job, question);
  const problem = found.find((candidate) => candidate.url === url);
  return h(
    `li${problem ? ".phone-line-wrong" : ""}`,
    {},
    h("span.phone-line-question", {}, question.text),
    h("span.phone-line-answer", { class: isOpen && "muted" }, isOpen ? _("No answer yet") : displayAnswer(question, answer)),
    problem && h("span.field-problem", {}, icon("warning"), " ", problem.message),
    Array.isArray(answer) && (await thumbnailList(job, answer, question.text)),
    h("a.phone-change", { href: url }, isOpen ? _("Answer") : _("Change"), h("span.visually-hidden", {}, `: ${question.text}`)),
  );
}
