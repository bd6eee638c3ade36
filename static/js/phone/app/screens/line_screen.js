// Check the line: what the seller's network sees of it, and what to do. No step waits for it.

import { h, icon } from "../dom.js";
import { checkFailure, checkLine, isChecking } from "../line_check.js";
import { ageText, canCheckLine, lineQuestion } from "../line_state.js";
import { redirect, render } from "../router.js";
import { DEFAULT_WIZARD, jobUrl, nextUrl, questionUrl } from "../workflow.js";
import { latestJob, onTap, recordActions } from "../actions.js";
import { _, fill } from "../i18n.js";
import { LINE_ICONS } from "./line_section.js";
import { secondaryLink, stepLayout } from "./step_layout.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";

/** @param {JobContext} context @returns {MaybeScreen} */
export function lineScreen(context) {
  const { job } = context;
  if (!canCheckLine(job)) return redirect(jobUrl(job));
  const check = job.line_check;
  return stepLayout(context, {
    name: "line",
    title: _("Check the line"),
    body: [
      h("h1", {}, _("Check the line")),
      h("p.phone-hint", {}, _("The seller tests the line and reports what its network sees. You can continue in the meantime.")),
      progressOf(job),
      check ? [adviceOf(check), checkedAt(check), partsOf(check), check.paths.map(pathOf), codeOf(check)] : !job.line_unavailable && noCheckYet(job),
    ],
    ways: ways(context),
    bar: mainAction(context),
  });
}

// Read out when it changes.
/** @param {Job} job */
function progressOf(job) {
  const failure = job.line_unavailable || checkFailure(job);
  return h(
    "div",
    { role: "status", "data-line-status": true },
    isChecking(job) && h("p.notice.notice-calm", {}, icon("clock"), " ", h("span", {}, _("Checking the line… This takes a few seconds."), " ", h("progress", { "aria-label": _("Checking the line") }))),
    !isChecking(job) && failure && h("p.notice.notice-warning", {}, icon("info"), " ", h("span", {}, failure)),
  );
}

/** @param {Job} job */
const noCheckYet = (job) => !isChecking(job) && !checkFailure(job) && h("p.phone-empty", {}, icon("search"), " ", h("span", {}, _("The line of this job has not been checked yet.")));

/** @param {LineCheck} check */
function adviceOf({ title, text, tone }) {
  return h(`div.phone-advice.phone-advice-${tone}`, { "data-line": tone }, icon(LINE_ICONS[tone]), h("div", {}, h("h2", {}, title), h("p", {}, text)));
}

/** @param {LineCheck} check */
const checkedAt = ({ checked_at: at }) => h("p.phone-line-age", {}, `${_("Checked")} `, parts.timestamp(at), ` (${ageText(at)})`);

/** @param {LineCheck} check */
function partsOf({ parts: found }) {
  return parts.section("line-parts-title", _("What the network sees"), h("ul.plain-list.phone-lines", {}, found.map(partLine)));
}

/** @param {LineCheckPart} part */
function partLine({ name, slug, state, since, before }) {
  return h(
    "li",
    {},
    h("span.phone-line-question", {}, name),
    h(`span.phone-line-answer.line-${slug}`, {}, icon(LINE_ICONS[slug]), " ", state),
    since && h("span.muted", {}, `${_("Last reported")} `, parts.timestamp(since), before && ` · ${fill(_("before: %(state)s"), { state: before })}`),
  );
}

/** @param {LineCheck["paths"][number]} path @param {number} at */
function pathOf({ name, nodes }, at) {
  if (!nodes.length) return "";
  /** @param {LineCheckNode} node */
  const line = (node) => h("li", {}, h("span", {}, node.name), " ", h(`b.line-${node.slug}`, {}, icon(LINE_ICONS[node.slug]), " ", node.colour));
  return parts.section(`line-path-${at}`, name, h("ol.plain-list.phone-line-nodes", {}, nodes.map(line)));
}

/** @param {LineCheck} check */
const codeOf = ({ code }) => h("p.muted", {}, `${_("The seller's code")} `, h("span.code", {}, code));

/** @param {JobContext} context */
function ways({ job, matrix }) {
  const isAgain = isMainContinue(job);
  return h(
    "div.phone-more-actions",
    {},
    attachWay(job, matrix),
    isAgain && !job.line_unavailable && h("button.phone-button", { type: "button", id: "check-line", onclick: () => checkLine(job, render) }, icon("undo"), " ", _("Check again")),
    !isAgain && secondaryLink(nextUrl(job, matrix, DEFAULT_WIZARD), "arrow-right", _("Continue")),
    jobParts.cantCompleteLink(job),
  );
}

// The result as the answer to the question of the matrix that asks for it, so that the seller and the office have it.
/** @param {Job} job @param {Matrix} matrix */
function attachWay(job, matrix) {
  const question = lineQuestion(job, matrix);
  const check = job.line_check;
  if (!question || !check || job.state !== "on_site") return "";
  if (job.answers[question.code] === check.answer) {
    return h("p.phone-answered", {}, icon("check"), " ", h("a", { href: questionUrl(job, question) }, _("This result is in your answers.")));
  }
  return h("button.phone-button", { type: "button", id: "attach-line", onclick: onTap(() => attach(job, question)) }, icon("clipboard"), " ", _("Add this result to your answers"));
}

// The result as it is now: a button outlives the check for which it was drawn.
/** @param {Job} job @param {Question} question */
async function attach(job, question) {
  const { job: now } = await latestJob(job);
  if (!now.line_check) return;
  await recordActions(job, [{ kind: "answered", body: { question: question.code, value: now.line_check.answer } }]);
  await render();
}

// A line that works, or that cannot be checked, needs no second look.
/** @param {Job} job */
function isMainContinue(job) {
  if (isChecking(job)) return false;
  return Boolean(job.line_unavailable || checkFailure(job) || (job.line_check && !job.line_check.is_down));
}

/** @param {JobContext} context */
function mainAction({ job, matrix }) {
  if (isMainContinue(job)) return parts.mainLink(nextUrl(job, matrix, DEFAULT_WIZARD), _("Continue"));
  const label = isChecking(job) ? _("Checking the line…") : job.line_check ? _("Check again") : _("Check the line");
  const attributes = { type: "button", id: "check-line", "aria-disabled": isChecking(job) ? "true" : null, onclick: () => checkLine(job, render) };
  return h("div.phone-action", {}, h("button.main-button", attributes, label));
}
