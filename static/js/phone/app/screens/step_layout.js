// What stands around every step: whose job, where Back leads, what is wrong, and the one large button.

import { h, icon } from "../dom.js";
import { closureOf, isOpen, urlOf } from "../workflow.js";
import { slipAt } from "../actions.js";
import { _ } from "../i18n.js";
import { ended } from "./job_screen.js";
import * as parts from "./components.js";

// {name, title, back?, problems?, body, ways?, bar?} as a screen. `problems` are said besides those of the last tap.
export function frame(context, { name, title, back = urlOf(context.job), problems = [], body, ways, bar }) {
  const { job, path, trail } = context;
  if (!isOpen(job)) return over(job, { name, title });
  const all = [...problems, ...slipAt(path)];
  return {
    name,
    title: parts.title(title, all.length > 0),
    body: [
      parts.where(job, back),
      trail.closing && onTheWay(job, trail),
      parts.problemSummary(all),
      h("div.phone-step", {}, body),
      ways ?? h("p.phone-ways", {}, parts.cantComplete(job)),
      bar,
    ],
  };
}

// The job ended meanwhile: what was half typed stays kept, but nobody waits for it.
function over(job, { name, title }) {
  const heading = job.state === "cancelled" ? _("This job was cancelled") : title;
  const body = [parts.where(job, urlOf(job)), h("h1", {}, heading), ended(job), parts.mainLink(urlOf(job), _("To the job"))];
  return { name, title: parts.title(heading), body };
}

function onTheWay(job, { closing }) {
  const words = closureOf(job, closing).in_trade_words;
  return h("p.phone-trail", {}, icon("x"), " ", h("span", {}, `${_("Can't complete:")} `, h("b", {}, words)));
}

// The sentence at a field, which the field names as its description.
export function fieldProblem(id, message) {
  return message && h("p.field-problem", { id: `${id}-problem` }, icon("warning"), " ", message);
}

export const problemAt = (problems, field) => problems.find((one) => one.field === field)?.message ?? "";

export function problemList(problems, isClear) {
  if (!problems.length) return "";
  const line = ({ message, url }) => h("li", {}, url ? h("a", { href: url }, message) : message);
  return h(
    "section.phone-missing",
    { "aria-labelledby": "missing-title" },
    h("h2", { id: "missing-title" }, isClear ? _("Look at this once more") : _("Still missing")),
    h("ul", {}, problems.map(line)),
  );
}

export const firstToMend = (problems) => problems.find(({ blocks, url }) => blocks && url)?.url ?? "";

export function way(href, sign, words, more = {}) {
  return href && h("a.phone-button", { href, ...more }, sign && icon(sign), " ", words);
}
