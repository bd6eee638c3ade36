// Lone-worker check-in: a timer that raises an alarm at the office unless the engineer checks in before it ends.

import { h, icon } from "./dom.js";
import * as queue from "./queue.js";
import { PENDING } from "./queue_states.js";
import { _, fill } from "./i18n.js";

const CHOICES = [30, 60, 120];

export function checkInSection({ job, day, rows }) {
  const timer = runningTimer(day, rows);
  const notice = timer ? "" : stillRunningNotice(day, rows);
  if (!timer && !notice && job.state !== "on_site") return "";
  return h(
    "section.phone-check-in",
    { "aria-labelledby": "check-in-title" },
    h("h2", { id: "check-in-title" }, _("Lone-worker check-in")),
    timer ? runningTimerPart(job, timer) : [notice, job.state === "on_site" && timerChoices(job)],
  );
}

function stillRunningNotice(day, rows) {
  if (!isStillRunningAtOffice(day, rows)) return "";
  const words = _("The office will know that you're OK once there is signal. Until then it may look for you.");
  return h("p.notice.notice-warning", { role: "status" }, icon("wifi-off"), " ", h("span", {}, words));
}

function timerChoices(job) {
  return [
    h("p", {}, _("Set a timer. The office is alerted if you don't check in by then.")),
    h("ul.plain-list.phone-contacts", {}, CHOICES.map((minutes) => h("li", {}, setButton(job, minutes)))),
  ];
}

function setButton(job, minutes, words = _("%(minutes)s min")) {
  const set = () => queue.add("check_in", job.id, { minutes });
  return h("button.phone-button", { type: "button", onclick: set }, icon("clock"), " ", fill(words, { minutes }));
}

function runningTimerPart(job, timer) {
  const { tone, sign, words } = timerStatus(timer);
  const well = () => queue.add("check_in_done", timer.job, {});
  return [
    h(`p.notice.notice-${tone}`, { role: "status" }, icon(sign), " ", h("span", {}, words)),
    h(
      "ul.plain-list.phone-contacts",
      {},
      h("li", {}, h("button.phone-button", { type: "button", onclick: well }, icon("check"), " ", _("I'm OK"))),
      h("li", {}, setButton(job, 60, _("%(minutes)s min more"))),
    ),
  ];
}

// Nobody may rely on an office that has not heard of the timer.
function timerStatus(timer) {
  const due = new Date(timer.due_at);
  const at = due.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  if (timer.isPending) {
    const words = _("Not sent yet: the office doesn't know about this timer until there is signal. It will then be alerted at %(at)s, or at once if that has passed.");
    return { tone: "warning", sign: "wifi-off", words: fill(words, { at }) };
  }
  if (due > new Date()) return { tone: "calm", sign: "clock", words: fill(_("The office is alerted at %(at)s unless you tap I'm OK."), { at }) };
  return { tone: "alarm", sign: "warning", words: fill(_("Check-in was due at %(at)s. The office is looking for you. Tap I'm OK."), { at }) };
}

// --- the timer as it stands on this phone: what the server told, and over it what this phone did since. Pure ---

// {job, due_at} or null. `day` is one of optimistic_state.js. `isPending`: the office does not know of it yet.
export function runningTimer(day, rows) {
  let timer = day.check_in ?? null;
  for (const row of rows) {
    const { entry, state } = row;
    if (state === "refused") continue;
    if (entry.kind === "check_in") timer = { ...timerOf(entry), ...(state === PENDING && { isPending: true }) };
    else if (entry.kind === "check_in_done") timer = null;
    else if (timer?.job === entry.job && isClosing(row, day)) timer = null;
  }
  return timer;
}

// One that comes too late (the job was cancelled, or is a colleague's) does not end the timer at the office.
function isClosing({ entry, state, outcome }, { jobs = [] }) {
  if (entry.kind !== "close" || outcome === "late") return false;
  return state !== PENDING || jobs.some(({ id, closure }) => id === entry.job && Boolean(closure));
}

function timerOf({ job, occurred_at, body }) {
  return { job, due_at: new Date(Date.parse(occurred_at) + body.minutes * 60_000).toISOString() };
}

// Whether the office still runs a timer that was ended on this phone: by a word that all is well, or by closing its job.
// The office knows what its day tells and what this phone has sent since: the day that tells of it may not have come
// before the signal went.
export function isStillRunningAtOffice(day, rows) {
  const timer = runningTimer(day, rows.filter(({ state }) => state !== PENDING));
  const ends = (row) => row.entry.kind === "check_in_done" || (row.entry.job === timer.job && isClosing(row, day));
  return Boolean(timer) && rows.some((row) => row.state === PENDING && ends(row));
}
