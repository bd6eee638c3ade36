// One job: what, where, when, whom, and the one large button for what comes next.

import { checkInPart } from "../lone_worker.js";
import { h, icon, unbroken } from "../dom.js";
import { callOffice } from "../office_phone.js";
import { nextStep } from "../workflow.js";
import { _ } from "../i18n.js";
import { handOverPart } from "./hand_over_screen.js";
import { leaveWords, nextJobLink, waitsForSignal } from "./next_job.js";
import * as parts from "./components.js";

export function jobScreen({ job, matrix, day, rows }) {
  const { page } = job;
  const look = parts.lookOf(job);
  const step = nextStep(job, matrix);
  const isDone = !step || waitsForSignal(job, matrix);
  return {
    name: "job",
    title: parts.title(`${page.kind}, ${page.address}`),
    body: [
      h("p.phone-where", {}, h("a.phone-back", { href: "/phone/" }, icon("chevron-left"), " ", _("My day")), " ", parts.state(look)),
      h("h1", {}, job.state === "cancelled" ? _("This job was cancelled") : page.kind),
      ended(job),
      parts.standing(job),
      waitsForSignal(job, matrix) && h("p.notice.notice-warning", {}, icon("wifi-off"), " ", h("span", {}, leaveWords())),
      parts.addressLines(job),
      h("p", {}, `${_("Promised")} `, h("b", {}, h("time", {}, unbroken(page.window))), page.planned && [h("br"), `${_("Planned")} `, unbroken(page.planned)]),
      checkInPart({ job, day, rows }),
      parts.contacts(job),
      parts.cautions(job),
      job.state === "on_site" && parts.section("progress-title", _("Checklist"), parts.progress(job, matrix)),
      parts.section("contact-title", _("Contact"), parts.facts(page.contact)),
      parts.section("work-title", _("The work"), parts.facts(page.work)),
      page.fault?.length > 0 && parts.section("fault-title", _("Fault report"), parts.facts(page.fault)),
      page.expected_ont.length > 0 && parts.section("ont-title", _("Expected ONT"), parts.facts(page.expected_ont)),
      page.network.length > 0 && parts.section("network-title", _("Network"), parts.facts(page.network)),
      parts.section("earlier-title", _("Here before"), earlier(page.earlier)),
      h("p.muted", {}, `${_("Job")} `, h("span.code", {}, job.id)),
      step && h("p.phone-ways", {}, handOverPart(job), parts.cantComplete(job)),
      isDone ? nextJobLink(day, job) : parts.mainLink(step.url, step.label),
    ],
  };
}

function earlier(visits) {
  if (!visits.length) return h("p.muted", {}, _("No earlier visit to these premises."));
  const line = ({ day, kind, how }) => h("li", {}, h("b", {}, day), ` ${kind}`, h("br"), how);
  return h("ul.plain-list.phone-lines", {}, visits.map(line));
}

// Nobody waits for this job any more: how it ended, as the server tells it or as it was closed on this phone.
export function ended(job) {
  const told = job.page.ended ?? closedHere(job);
  if (!told) return "";
  const words = h("div", {}, h("h2", {}, told.title), h("p", {}, told.text), job.state === "cancelled" && callOffice());
  return h(`div.phone-ended.state-${told.slug}`, { role: "status" }, icon(told.icon), words);
}

function closedHere(job) {
  if (!job.closure) return null;
  const look = parts.lookOf(job);
  const code = job.closures.find(({ code }) => code === job.closure.code);
  const how = `${job.closure.code} · ${code?.description ?? ""}`;
  return { ...look, title: _("Closed on this phone"), text: job.here ? `${how}. ${_("You can leave: it is sent when there is signal.")}` : how };
}
