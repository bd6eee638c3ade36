// Waiting for the seller: the answer as what to do next, or why nobody can have answered yet.

import { h, icon } from "../dom.js";
import { grouped } from "../label.js";
import { instead } from "../router.js";
import { firstMissing, isProvisioned, NOWHERE_ELSE, nextUrl, questionUrl, urlOf } from "../steps.js";
import { _, fill } from "../words.js";
import { frame, way } from "./frame.js";
import * as parts from "./parts.js";

const TICK_MS = 500;
const ICONS = { good: "check", calm: "clock", warning: "clock", alarm: "warning" };

export function provisioningScreen(context) {
  const { job } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return instead(urlOf(job, "next"));
  const told = adviceOf(job);
  const refused = refusals(job);
  return frame(context, {
    name: "provisioning",
    title: _("Provisioning"),
    problems: refused,
    body: [
      h("h1", {}, _("Provisioning")),
      told && instruction(told),
      !told && !refused.length && h("p.phone-empty", {}, icon("scan"), " ", h("span", {}, _("Nothing was scanned yet. Scan the ONT first."))),
      job.scan && h("p", {}, `${_("Scanned")} `, h("span.code", {}, grouped(job.scan.fsan))),
    ],
    ways: ways(context, told),
    bar: bar(context, told),
  });
}

// What the server did not take is mended where it was scanned.
function refusals(job) {
  const rows = job.refused.filter(({ entry }) => entry.kind === "ont_scanned");
  return rows.flatMap(({ problems }) => problems.map(({ message }) => ({ message, url: urlOf(job, "scan") })));
}

// {title, text, tone, until, call, scan_again} of the server, or this phone's own words before it can have any.
function adviceOf(job) {
  if (!job.scan || job.advice) return job.advice;
  if (job.scan.is_here) {
    const text = _("The scan is kept on this phone. The seller hears of it when there is signal. Go on with the questions meanwhile.");
    return { title: _("Only on this phone"), text, tone: "warning", icon: "wifi-off" };
  }
  const text = fill(_("The seller is setting up %(fsan)s. This page changes by itself."), job.scan);
  return { title: _("Waiting for the seller"), text, tone: "calm" };
}

function instruction({ title, text, tone, until, icon: sign }) {
  const words = [h("h2", {}, title), h("p", {}, text), until && countdown(until)];
  return h(`div.phone-advice.phone-advice-${tone}`, { role: "status" }, icon(sign ?? ICONS[tone]), h("div", {}, words));
}

// Not read out at each second: the sentence above says that it changes by itself.
function countdown(until) {
  return h("p.phone-countdown", { role: "timer", "aria-live": "off" }, h("time", { "data-until": until, datetime: until }, left(until)));
}

function left(until) {
  const seconds = Math.max(0, Math.round((new Date(until) - Date.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-until]")) time.textContent = left(time.dataset.until);
}, TICK_MS);

const scanIsMain = (job, told) => !job.scan || Boolean(told?.scan_again);

function ways({ job, matrix }, told) {
  const isReady = isProvisioned(job);
  const work = !isReady && job.scan && firstMissing(job, matrix, "work");
  return h(
    "div.phone-ways",
    {},
    told?.call && way(`tel:${told.call.replace(/[^\d+]/g, "")}`, "phone", fill(_("Call the order desk, %(call)s"), told)),
    work && way(questionUrl(job, work, { ...NOWHERE_ELSE, meanwhile: true }), "list", _("Answer questions meanwhile")),
    !isReady && !scanIsMain(job, told) && way(urlOf(job, "scan"), "scan", _("Scan again")),
    parts.cantComplete(job),
  );
}

function bar({ job, matrix }, told) {
  if (isProvisioned(job)) return parts.mainLink(nextUrl(job, matrix, NOWHERE_ELSE), _("Go on"));
  return scanIsMain(job, told) && parts.mainLink(urlOf(job, "scan"), told ? _("Scan again") : _("Scan the ONT"));
}
