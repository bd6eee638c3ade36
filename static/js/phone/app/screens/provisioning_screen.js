// Waiting for the seller: the answer as what to do next, or why nobody can have answered yet.

import { h, icon } from "../dom.js";
import { keepDraft } from "../drafts.js";
import { grouped } from "../label_validation.js";
import { doubted } from "../label_comparison.js";
import { deskWords, telephone } from "../office_phone.js";
import { currentAdvice, mainAction } from "../provisioning_advice.js";
import { go, instead, show } from "../router.js";
import { firstMissing, isProvisioned, labelQuestion, NOWHERE_ELSE, nextStep, nextUrl, questionUrl, urlOf } from "../workflow.js";
import { _, fill } from "../i18n.js";
import { frame, way } from "./step_layout.js";
import { leaveWords, nextJobLink, waitsForSignal } from "./next_job.js";
import * as parts from "./components.js";
import { pictureUrl } from "./thumbnails.js";
import { openCameraFor } from "./scan_screen.js";

const TICK_MS = 500;
const ICONS = { good: "check", calm: "clock", warning: "clock", alarm: "warning" };

// of installation-jobs.md: FSAN or serial number incorrect
const WRONG_DETAILS = 6;
const LABEL = "ONT_LABEL";

export async function provisioningScreen(context) {
  const { job } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return instead(urlOf(job, "next"));
  const told = adviceOf(job, context.matrix);
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
      isRefusedLabel(job) && (await labelCheck(job, context.matrix)),
    ],
    ways: ways(context, told),
    bar: bar(context, told),
  });
}

const isRefusedLabel = (job) => Boolean(job.scan) && job.result?.result_id === WRONG_DETAILS;

// Character by character, beside the picture that was taken of the label.
async function labelCheck(job, matrix) {
  const questions = [LABEL, labelQuestion(job, matrix)?.code];
  const photo = Object.entries(job.photos ?? {}).findLast(([, one]) => questions.includes(one.question ?? one.row?.entry.body.question));
  return doubted(job.scan, job.expected_ont, photo ? await pictureUrl(job, photo[0]) : "");
}

// What the server did not take is mended where it was scanned.
function refusals(job) {
  const rows = job.refused.filter(({ entry }) => entry.kind === "ont_scanned");
  return rows.flatMap(({ problems }) => problems.map(({ message }) => ({ message, url: urlOf(job, "scan") })));
}

// {title, text, tone, until, call, scan_again} of the server, or this phone's own words before it can have any.
function adviceOf(job, matrix) {
  if (!job.scan || job.advice) return currentAdvice(job.advice);
  if (job.scan.is_here) {
    const text = waitsForSignal(job, matrix) ? leaveWords() : _("The scan is kept on this phone and is sent when there is signal. Continue with the questions.");
    return { title: _("Only on this phone"), text, tone: "warning", icon: "wifi-off" };
  }
  const text = fill(_("The seller is setting up %(fsan)s. This page changes by itself."), job.scan);
  return { title: _("Waiting for the seller"), text, tone: "calm" };
}

function instruction({ title, text, tone, until, overdue_at: overdueAt, icon: sign }) {
  const words = [h("h2", {}, title), h("p", {}, text), until && countdown(until, overdueAt)];
  return h(`div.phone-advice.phone-advice-${tone}`, { role: "status" }, icon(sign ?? ICONS[tone]), h("div", {}, words));
}

// Not read out at each second: the sentence above says that it changes by itself.
function countdown(until, overdueAt) {
  const attributes = { "data-until": until, "data-overdue-at": overdueAt, datetime: until };
  return h("p.phone-countdown", { role: "timer", "aria-live": "off" }, h("time", attributes, left(until)));
}

function left(until) {
  const seconds = Math.max(0, Math.round((new Date(until) - Date.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// Other advice follows when nothing has come for too long.
setInterval(() => {
  const times = [...document.querySelectorAll("time[data-until]")];
  for (const time of times) time.textContent = left(time.dataset.until);
  if (times.some(({ dataset }) => Date.now() > Date.parse(dataset.overdueAt))) show();
}, TICK_MS);

function ways({ job, matrix }, told) {
  const isReady = isProvisioned(job);
  const work = !isReady && job.scan && firstMissing(job, matrix, "work");
  const main = mainAction(job, matrix, told);
  return h(
    "div.phone-ways",
    {},
    told?.call && main !== "call" && way(telephone(told.call), "phone", deskWords(told.call)),
    work && main !== "work" && way(questionUrl(job, work, MEANWHILE), "list", _("Continue with the questions")),
    isRefusedLabel(job) && correction(job),
    !isReady && main !== "scan" && way(urlOf(job, "scan"), "scan", _("Scan again"), { onclick: () => openCameraFor(job) }),
    parts.cantComplete(job),
  );
}

const MEANWHILE = { ...NOWHERE_ELSE, meanwhile: true };

// By hand, over what was read.
function correction(job) {
  const onclick = () => {
    keepDraft(urlOf(job, "scan"), { fsan: job.scan.fsan, serial_number: job.scan.serial_number, source: "typed" });
    return go(urlOf(job, "scan"));
  };
  return h("button.phone-button", { type: "button", onclick }, _("Correct the characters"));
}

function bar({ job, matrix, day }, told) {
  // nobody can provision an ONT without signal
  if (waitsForSignal(job, matrix)) return nextJobLink(day, job);
  const work = job.scan && firstMissing(job, matrix, "work");
  const bars = {
    stop: () => parts.mainLink(nextStep(job, matrix).url, nextStep(job, matrix).label),
    next: () => parts.mainLink(nextUrl(job, matrix, NOWHERE_ELSE), _("Go on")),
    scan: () => parts.mainLink(urlOf(job, "scan"), told ? _("Scan again") : _("Scan the ONT"), { onclick: () => openCameraFor(job) }),
    call: () => parts.mainLink(telephone(told.call), deskWords(told.call)),
    work: () => parts.mainLink(questionUrl(job, work, MEANWHILE), _("Continue with the questions")),
  };
  return bars[mainAction(job, matrix, told)]?.();
}
