// One job: what, where, when, who, and the one large button for the next step.

import { checkInSection } from "../lone_worker.js";
import { problemsAt } from "../actions.js";
import { isNextJob } from "../day_plan.js";
import { h, icon, noBreak } from "../dom.js";
import { isSecond, nextStep } from "../workflow.js";
import { _ } from "../i18n.js";
import { handOverSection } from "./hand_over_screen.js";
import { canLeaveText, nextJobLink, waitsForSignal } from "./next_job.js";
import { lineSection } from "./line_section.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";

/** @param {JobContext} context @returns {PhoneScreen} */
export function jobScreen(context) {
  const { job, matrix, day, path } = context;
  const { page } = job;
  const look = parts.stateStyle(job, { isNext: isNextJob(day, job) });
  const step = nextStep(job, matrix);
  const isDone = !step || waitsForSignal(job, matrix);
  return {
    name: "job",
    title: parts.pageTitle(`${page.kind}, ${page.address}`),
    body: [
      h("p.phone-context", {}, h("a.phone-back", { href: "/phone/" }, icon("chevron-left"), " ", _("My day")), " ", parts.stateBadge(look)),
      parts.problemSummary(problemsAt(path)),
      h("h1", {}, job.state === "cancelled" ? _("This job was cancelled") : page.kind),
      jobParts.endedNotice(job),
      jobParts.teamNotice(job),
      jobParts.jobNotices(job, matrix),
      waitsForSignal(job, matrix) && h("p.notice.notice-warning", {}, icon("wifi-off"), " ", h("span", {}, canLeaveText())),
      jobParts.addressLines(job),
      h("p", {}, `${_("Appointment")} `, h("b", {}, h("time", {}, noBreak(page.window))), page.planned && [h("br"), `${_("Planned")} `, noBreak(page.planned)]),
      checkInSection(context),
      jobParts.contactButtons(job),
      jobParts.cautionSection(job),
      job.state === "on_site" && !isSecond(job) && parts.section("progress-title", _("Checklist"), jobParts.progressBar(job, matrix)),
      page.fault.length > 0 && parts.section("fault-title", _("Fault report"), parts.factList(page.fault)),
      lineSection(job),
      parts.section("contact-title", _("Contact"), parts.factList(page.contact)),
      parts.section("work-title", _("The work"), parts.factList(page.work)),
      page.expected_ont.length > 0 && parts.section("ont-title", _("Expected ONT"), parts.factList(page.expected_ont)),
      page.network.length > 0 && parts.section("network-title", _("Network"), parts.factList(page.network)),
      parts.section("earlier-title", _("Previous visits"), earlierVisits(page.earlier)),
      h("p.muted", {}, `${_("Job")} `, h("span.code", {}, job.id)),
      step && h("p.phone-more-actions", {}, handOverSection(job), jobParts.cantCompleteLink(job)),
      isDone ? nextJobLink(day, job) : parts.mainLink(step.url, step.label),
    ],
  };
}

/** @param {JobPage["earlier"]} visits */
function earlierVisits(visits) {
  if (!visits.length) return h("p.muted", {}, _("No earlier visit to these premises."));
  /** @param {JobPage["earlier"][number]} visit */
  const line = ({ day, kind, how }) => h("li", {}, h("b", {}, day), ` ${kind}`, h("br"), how);
  return h("ul.plain-list.phone-lines", {}, visits.map(line));
}
