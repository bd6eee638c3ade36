// What the last check of the line found, in a few lines, with the way to the check.

import { h, icon } from "../dom.js";
import { ageText, canCheckLine } from "../line_state.js";
import { jobUrl } from "../workflow.js";
import { _ } from "../i18n.js";
import * as parts from "./components.js";
import { secondaryLink } from "./step_layout.js";

/** @type {Record<Advice["tone"] | LineCheckPart["slug"] | LineCheckNode["slug"], string>} */
export const LINE_ICONS = { good: "check", calm: "info", warning: "warning", alarm: "x", unknown: "circle", green: "check", orange: "clock", red: "warning" };

/** @param {Job} job */
export function lineSection(job) {
  if (!canCheckLine(job)) return "";
  const body = job.line_unavailable ? h("p.muted", {}, job.line_unavailable) : [summary(job), h("p.phone-more-actions", {}, lineLink(job))];
  return parts.section("line-title", _("Line"), body);
}

/** @param {Job} job */
export const lineLink = (job) => canCheckLine(job) && !job.line_unavailable && secondaryLink(jobUrl(job, "line"), "search", _("Check the line"));

/** @param {Job} job */
function summary({ line_check: check }) {
  if (!check) return h("p.muted", {}, _("The line of this job has not been checked yet."));
  return h("p", { "data-line-summary": check.tone }, h(`b.line-${check.tone}`, {}, icon(LINE_ICONS[check.tone]), " ", check.title), h("br"), h("span.muted", {}, `${_("Checked")} ${ageText(check.checked_at)}`));
}
