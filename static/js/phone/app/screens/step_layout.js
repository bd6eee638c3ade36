// The layout of every step: which job, where Back leads, problems, and the one large button.

import { h, icon } from "../dom.js";
import { findClosure, isOpen, jobUrl } from "../workflow.js";
import { problemsAt } from "../actions.js";
import { _ } from "../i18n.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";

/** @param {JobContext} context @param {StepContent} content @returns {PhoneScreen} */
export function stepLayout(context, { name, title, back = jobUrl(context.job), problems = [], body, ways, bar }) {
  const { job, path, wizard } = context;
  if (!isOpen(job)) return endedLayout(job, { name, title });
  const all = [...problems, ...problemsAt(path)];
  return {
    name,
    title: parts.pageTitle(title, all.length > 0),
    body: [
      jobParts.jobHeader(job, back),
      wizard.closing && closingBanner(job, wizard),
      parts.problemSummary(all),
      h("div.phone-step", {}, body),
      ways ?? h("p.phone-more-actions", {}, jobParts.cantCompleteLink(job)),
      bar,
    ],
  };
}

// The job ended in the meantime: the draft stays stored, but nobody waits for it.
/** @param {Job} job @param {Pick<StepContent, "name" | "title">} content @returns {PhoneScreen} */
function endedLayout(job, { name, title }) {
  const heading = job.state === "cancelled" ? _("This job was cancelled") : title;
  const body = [jobParts.jobHeader(job, jobUrl(job)), h("h1", {}, heading), jobParts.endedNotice(job), parts.mainLink(jobUrl(job), _("Open job"))];
  return { name, title: parts.pageTitle(heading), body };
}

/** @param {Job} job @param {Wizard} wizard */
function closingBanner(job, { closing }) {
  const tradeTerms = findClosure(job, closing).in_trade_words;
  return h("p.phone-outcome", {}, icon("x"), " ", h("span", {}, `${_("Can't complete:")} `, h("b", {}, tradeTerms)));
}

// The sentence at a field, which the field names as its description.
/** @param {string} id @param {string} message */
export function fieldProblem(id, message) {
  return message && h("p.field-problem", { id: `${id}-problem` }, icon("warning"), " ", message);
}

// What a control with the problem of `fieldProblem` says about itself.
/** @param {string} id @param {string} problem @returns {Attributes} */
export const described = (id, problem) => ({ "aria-invalid": problem ? "true" : null, "aria-describedby": problem ? `${id}-problem` : null });

/** @param {ScreenProblem[]} problems @param {string} field */
export const problemAt = (problems, field) => problems.find((problem) => problem.field === field)?.message ?? "";

/** @param {ScreenProblem[]} problems @param {boolean} isClear */
export function problemList(problems, isClear) {
  if (!problems.length) return "";
  /** @param {ScreenProblem} problem */
  const line = ({ message, url }) => h("li", {}, url ? h("a", { href: url }, message) : message);
  return h(
    "section.phone-missing",
    { "aria-labelledby": "missing-title" },
    h("h2", { id: "missing-title" }, isClear ? _("Check this again") : _("Still missing")),
    h("ul", {}, problems.map(line)),
  );
}

/** @param {ScreenProblem[]} problems */
export const firstProblemUrl = (problems) => problems.find(({ blocks, url }) => blocks && url)?.url ?? "";

/** @param {string} href @param {string} sign @param {string} label @param {Attributes} [more] */
export function secondaryLink(href, sign, label, more = {}) {
  return href && h("a.phone-button", { href, ...more }, sign && icon(sign), " ", label);
}
