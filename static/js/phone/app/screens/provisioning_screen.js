// Waiting for the seller's provisioning result: what to do next, or why there can be no answer yet.

import { serverTime } from "../clock_skew.js";
import { h, icon } from "../dom.js";
import { saveSentDraft } from "../drafts.js";
import { groupFsan } from "../label_validation.js";
import { rejectedLabelNotice } from "../label_comparison.js";
import { callDeskText, telUrl } from "../office_phone.js";
import { currentAdvice, mainAction } from "../provisioning_advice.js";
import { navigate, redirect, render } from "../router.js";
import { firstMissing, isProvisioned, labelQuestion, DEFAULT_WIZARD, nextStep, nextUrl, questionUrl, jobUrl } from "../workflow.js";
import { _, fill } from "../i18n.js";
import { unknownTime } from "../moment_texts.js";
import { stepLayout, secondaryLink } from "./step_layout.js";
import { canLeaveText, nextJobLink, waitsForSignal } from "./next_job.js";
import { lineLink } from "./line_section.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";
import { thumbnailUrl } from "./thumbnails.js";
import { openCameraFor } from "./scan_screen.js";

const TICK_MS = 500;
/** @type {Record<Advice["tone"], string>} */
const ICONS = { good: "check", calm: "clock", warning: "clock", alarm: "warning" };

// of installation-jobs.md: FSAN or serial number incorrect
const WRONG_DETAILS = 6;
const LABEL = "ONT_LABEL";

/** @param {JobContext} context */
export async function provisioningScreen(context) {
  const { job } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return redirect(jobUrl(job, "next"));
  const advice = getAdvice(job, context.matrix);
  const refused = refusalProblems(job);
  return stepLayout(context, {
    name: "provisioning",
    title: _("Provisioning"),
    problems: refused,
    body: [
      h("h1", {}, _("Provisioning")),
      advice && instruction(advice),
      !advice && !refused.length && h("p.phone-empty", {}, icon("scan"), " ", h("span", {}, _("Nothing scanned yet. Scan the ONT first."))),
      job.scan && h("p", {}, `${_("Scanned")} `, h("span.code", {}, groupFsan(job.scan.fsan))),
      isRefusedLabel(job) && (await labelComparison(job, context.matrix)),
    ],
    ways: secondaryActions(context, advice),
    bar: mainButton(context, advice),
  });
}

/** @param {Job} job @returns {job is Job & { scan: OntScan }} */
const isRefusedLabel = (job) => Boolean(job.scan) && job.result?.result_id === WRONG_DETAILS;

// Character by character, next to the picture that was taken of the label.
/** @param {Job & { scan: OntScan }} job @param {Matrix} matrix */
async function labelComparison(job, matrix) {
  const questions = [LABEL, labelQuestion(job, matrix)?.code];
  const photo = Object.entries(job.photos ?? {}).findLast(([, photo]) => questions.includes(photo.question ?? photo.row?.entry.body.question));
  return rejectedLabelNotice(job.scan, job.expected_ont, photo ? await thumbnailUrl(job, photo[0]) : "");
}

// What the server refused is corrected where it was scanned.
/** @param {Job} job */
function refusalProblems(job) {
  const rows = job.refused.filter(({ entry }) => entry.kind === "ont_scanned");
  return rows.flatMap(({ problems }) => problems.map(({ message }) => ({ message, url: jobUrl(job, "scan") })));
}

// The server's text, or this phone's own before it can have one.
/** @param {Job} job @param {Matrix} matrix @returns {Advice | null} */
function getAdvice(job, matrix) {
  if (!job.scan || job.advice) return currentAdvice(job.advice);
  if (job.scan.is_pending) {
    const text = waitsForSignal(job, matrix) ? canLeaveText() : _("The scan is saved and will be sent when there is signal. Continue with the questions.");
    return { title: _("Waiting to send"), text, tone: "warning", icon: "wifi-off" };
  }
  const text = fill(_("The seller is setting up %(fsan)s. This page updates automatically."), job.scan);
  return { title: _("Waiting for the seller"), text, tone: "calm" };
}

/** @param {Advice} advice */
function instruction({ title, text, tone, until, overdue_at: overdueAt, icon: sign }) {
  const content = [h("h2", {}, title), h("p", {}, text), until && countdown(until, overdueAt)];
  return h(`div.phone-advice.phone-advice-${tone}`, { role: "status" }, icon(sign ?? ICONS[tone]), h("div", {}, content));
}

// Not read out at each second: the sentence above explains that it changes automatically.
/** @param {string} until @param {string | null | undefined} overdueAt */
function countdown(until, overdueAt) {
  const attributes = { "data-until": until, "data-overdue-at": overdueAt, datetime: until };
  return h("p.phone-countdown", { role: "timer", "aria-live": "off" }, h("time", attributes, timeLeft(until)));
}

/** @param {string} until */
function timeLeft(until) {
  const seconds = Math.max(0, Math.round((Date.parse(until) - serverTime()) / 1000));
  if (Number.isNaN(seconds)) return unknownTime();
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// Other advice follows when nothing has come for too long.
setInterval(() => {
  const times = [.../** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[data-until]"))];
  for (const time of times) time.textContent = timeLeft(time.dateTime);
  if (times.some(({ dataset }) => serverTime() > Date.parse(dataset.overdueAt ?? ""))) render();
}, TICK_MS);

/** @param {JobContext} context @param {Advice | null} advice */
function secondaryActions({ job, matrix }, advice) {
  const isReady = isProvisioned(job);
  const work = !isReady && job.scan && firstMissing(job, matrix, "work");
  const main = mainAction(job, matrix, advice);
  return h(
    "div.phone-more-actions",
    {},
    advice?.call && main !== "call" && secondaryLink(telUrl(advice.call), "phone", callDeskText(advice.call)),
    work && main !== "work" && secondaryLink(questionUrl(job, work, WHILE_WAITING), "list", _("Continue with the questions")),
    isRefusedLabel(job) && correctButton(job),
    lineLink(job),
    !isReady && main !== "scan" && secondaryLink(jobUrl(job, "scan"), "scan", _("Scan again"), { onclick: () => openCameraFor(job) }),
    jobParts.cantCompleteLink(job),
  );
}

const WHILE_WAITING = { ...DEFAULT_WIZARD, whileWaiting: true };

// By hand, over what was read.
/** @param {Job & { scan: OntScan }} job */
function correctButton(job) {
  const onclick = () => {
    // sent with the scan already, and nothing unfinished until it is corrected
    saveSentDraft(jobUrl(job, "scan"), { fsan: job.scan.fsan, serial_number: job.scan.serial_number, source: "typed" });
    return navigate(jobUrl(job, "scan"));
  };
  return h("button.phone-button", { type: "button", onclick }, _("Correct the characters"));
}

/** @param {JobContext} context @param {Advice | null} advice */
function mainButton({ job, matrix, day }, advice) {
  // nobody can provision an ONT without signal
  if (waitsForSignal(job, matrix)) return nextJobLink(day, job);
  const work = job.scan && firstMissing(job, matrix, "work");
  const step = nextStep(job, matrix);
  /** @type {Record<string, () => NestedChild>} */
  const bars = {
    stop: () => step && parts.mainLink(step.url, step.label),
    next: () => parts.mainLink(nextUrl(job, matrix, DEFAULT_WIZARD), _("Continue")),
    scan: () => parts.mainLink(jobUrl(job, "scan"), advice ? _("Scan again") : _("Scan the ONT"), { onclick: () => openCameraFor(job) }),
    call: () => advice?.call && parts.mainLink(telUrl(advice.call), callDeskText(advice.call)),
    work: () => work && parts.mainLink(questionUrl(job, work, WHILE_WAITING), _("Continue with the questions")),
  };
  return bars[mainAction(job, matrix, advice)]?.();
}
