// Every answer and every picture of the job, what is still missing, and the way to close it.

import { h, icon } from "../dom.js";
import { problemsOf } from "../closure_rules.js";
import { closeUrl, NOWHERE_ELSE, questionsOf, questionUrl, successOf } from "../workflow.js";
import { shown } from "../answer_validation.js";
import { _ } from "../i18n.js";
import { firstToMend, frame, problemList } from "./step_layout.js";
import * as parts from "./components.js";
import { pictures } from "./thumbnails.js";

export async function reviewScreen(context) {
  const { job, matrix } = context;
  const closure = successOf(job);
  const found = problemsOf(job, matrix, { closure, trail: NOWHERE_ELSE });
  const isClear = !found.some(({ blocks }) => blocks);
  const lines = await Promise.all(questionsOf(job, matrix).map((question) => line(job, question, found)));
  return frame(context, {
    name: "review",
    title: _("Review"),
    body: [
      h("h1", {}, _("Review")),
      parts.progress(job, matrix),
      problemList(found, isClear),
      parts.section("answers-title", _("Your answers"), h("ul.plain-list.phone-lines", {}, lines.length ? lines : h("li.muted", {}, _("No question applies yet.")))),
      isClear && h("p.phone-proposal", {}, `${_("Closes as:")} `, h("b", {}, closure.in_trade_words), " ", h("span.muted", {}, `(${closure.code})`)),
    ],
    ways: h("p.phone-ways", {}, parts.cantComplete(job, _("It ended differently"))),
    bar: isClear ? parts.mainLink(closeUrl(job, closure.code), _("Go on to close")) : parts.mainLink(firstToMend(found), _("To what is missing")),
  });
}

async function line(job, question, found) {
  const answer = job.answers[question.code];
  const isOpen = answer === undefined;
  const url = questionUrl(job, question);
  const problem = found.find((one) => one.url === url);
  return h(
    `li${problem ? ".phone-line-wrong" : ""}`,
    {},
    h("span.phone-line-question", {}, question.text),
    h("span.phone-line-answer", { class: isOpen && "muted" }, isOpen ? _("No answer yet") : shown(question, answer)),
    problem && h("span.field-problem", {}, icon("warning"), " ", problem.message),
    Array.isArray(answer) && (await pictures(job, answer, question.text)),
    h("a.phone-change", { href: url }, isOpen ? _("Answer") : _("Change"), h("span.visually-hidden", {}, `: ${question.text}`)),
  );
}
