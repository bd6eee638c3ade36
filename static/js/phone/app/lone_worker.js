// Lone-worker check-in: a timer that raises an alarm at the office unless the engineer checks in before it ends.

import { createOnTap, recordTaps } from "./actions.js";
import { serverTime } from "./clock_skew.js";
import { h, icon } from "./dom.js";
import { PENDING } from "./queue_states.js";
import { isMoment } from "./time_zone.js";
import { _, fill } from "./i18n.js";
import { formatTime } from "./moment_texts.js";

const CHOICES = [30, 60, 120];
// as in engineers/clock_skew.py
const TOLERATED_SKEW_MS = 120_000;
// of its own: no other tap holds up a sign of life
const onTap = createOnTap();

/** @param {JobContext} context */
export function checkInSection({ job, day, rows }) {
  const timer = runningTimer(day, rows);
  const notice = timer ? "" : stillRunningNotice(day, rows);
  if (!timer && !notice && job.state !== "on_site") return "";
  return sectionOf(timer ? runningTimerPart(job.id, timer) : [notice, job.state === "on_site" && timerChoices(job.id)]);
}

// On the page of the day while a timer runs: its job may be a colleague's by now, and have no page any more.
/** @param {ScreenContext} context */
export function runningCheckInSection({ day, rows }) {
  const timer = runningTimer(day, rows);
  return timer && sectionOf(runningTimerPart(timer.job, timer));
}

/** @param {NestedChild} content */
function sectionOf(content) {
  return h(
    "section.phone-check-in",
    { "aria-labelledby": "check-in-title" },
    h("h2", { id: "check-in-title" }, _("Lone-worker check-in")),
    content,
  );
}

// Whether the office looks for the engineer: it does not where it does not know of the timer.
/** @param {RunningTimer | null} timer */
export const isOverdue = (timer) => Boolean(timer && !timer.isPending && Date.parse(timer.due_at) <= serverTime());

/** @param {Day} day @param {QueueRow[]} rows */
function stillRunningNotice(day, rows) {
  if (!isStillRunningAtOffice(day, rows)) return "";
  const text = _("The office will know that you're OK once there is signal. Until then it may look for you.");
  return h("p.notice.notice-warning", { role: "status" }, icon("wifi-off"), " ", h("span", {}, text));
}

/** @param {string} job */
function timerChoices(job) {
  return [
    h("p", {}, _("Set a timer. The office is alerted if you don't check in by then.")),
    h("ul.plain-list.phone-button-list", {}, CHOICES.map((minutes) => h("li", {}, setButton(job, minutes)))),
  ];
}

/** @param {string} job @param {number} minutes @param {string} [label] */
function setButton(job, minutes, label = _("%(minutes)s min")) {
  const set = onTap(() => recordTaps([{ kind: "check_in", job, body: { minutes } }]));
  return h("button.phone-button", { type: "button", onclick: set }, icon("clock"), " ", fill(label, { minutes }));
}

/** @param {string} job @param {RunningTimer} timer */
function runningTimerPart(job, timer) {
  const { tone, sign, words: text } = timerStatus(timer);
  const checkIn = onTap(() => recordTaps([{ kind: "check_in_done", job: timer.job, body: {} }]));
  return [
    h(`p.notice.notice-${tone}`, { role: "status" }, icon(sign), " ", h("span", {}, text)),
    h(
      "ul.plain-list.phone-button-list",
      {},
      h("li", {}, h("button.phone-button", { type: "button", onclick: checkIn }, icon("check"), " ", _("I'm OK"))),
      h("li", {}, setButton(job, 60, _("%(minutes)s min more"))),
    ),
  ];
}

// Nobody may rely on an office that has not received the timer.
/** @param {RunningTimer} timer */
export function timerStatus(timer) {
  const at = formatTime(new Date(timer.due_at));
  if (timer.isPending) {
    const text = _("Not sent yet: the office doesn't know about this timer until there is signal. It will then be alerted at %(at)s, or at once if that has passed.");
    return { tone: "warning", sign: "wifi-off", words: fill(text, { at }) };
  }
  if (!isOverdue(timer)) return { tone: "calm", sign: "clock", words: fill(_("The office is alerted at %(at)s unless you tap I'm OK."), { at }) };
  return { tone: "alarm", sign: "warning", words: fill(_("Check-in was due at %(at)s, so the office is alerted. Tap I'm OK."), { at }) };
}

// --- the timer on this phone: what the server sent, and over it what this phone did since. Pure ---

// Null where none runs.
/** @param {Pick<Day, "check_in">} day @param {QueueRow[]} rows @returns {RunningTimer | null} */
export function runningTimer(day, rows) {
  let timer = day.check_in ?? null;
  for (const row of rows) {
    const { entry, state } = row;
    if (state === "refused" || isNewer(timer, row)) continue;
    if (entry.kind === "check_in") timer = { ...timerOf(entry), ...(state === PENDING && { isPending: true }) };
    else if (entry.kind === "check_in_done") timer = null;
    else if (timer?.job === entry.job && hasClosed(row)) timer = null;
  }
  return timer;
}

// Whether the timer was set, on another phone of the engineer's, after a tap that the server has received: there it runs on
// (engineers/lone_worker.py), unless it was set while a clock was ahead. A tap that waits is newer than anything that is
// displayed, also on a phone that has lost its time; the server corrects that.
/** @param {RunningTimer | null} timer @param {QueueRow} row */
function isNewer(timer, { entry, state }) {
  if (!timer || state === PENDING) return false;
  const startedAt = Date.parse(timer.started_at);
  // the server takes a clock as right that differs by so much
  const tappedAt = serverTime(Date.parse(entry.occurred_at)) + TOLERATED_SKEW_MS;
  return startedAt > tappedAt && startedAt <= serverTime() + TOLERATED_SKEW_MS;
}

// While a closing waits, perhaps for hours until its photos have Wi-Fi, the office's timer runs; and one that comes too
// late (the job was cancelled, or is a colleague's) does not end it.
/** @param {QueueRow} row */
const hasClosed = ({ entry, state, outcome }) => entry.kind === "close" && state !== PENDING && outcome !== "late";

/** @param {EntryOf<"check_in">} entry @returns {RunningTimer} */
function timerOf({ job, occurred_at, body }) {
  const startedAt = serverTime(Date.parse(occurred_at));
  const dueAt = startedAt + body.minutes * 60_000;
  return { job, started_at: textOfMoment(startedAt), due_at: textOfMoment(dueAt) };
}

/** @param {number} moment in milliseconds */
const textOfMoment = (moment) => (isMoment(new Date(moment)) ? new Date(moment).toISOString() : "");

// Whether the office still runs a timer that a check-in ended on this phone.
// The office knows what its day holds and what this phone has sent since: the day that includes it may not have come
// before the signal went.
/** @param {Pick<Day, "check_in">} day @param {QueueRow[]} rows */
export function isStillRunningAtOffice(day, rows) {
  const timer = runningTimer(day, rows.filter(({ state }) => state !== PENDING));
  return Boolean(timer) && rows.some(({ entry, state }) => state === PENDING && entry.kind === "check_in_done");
}
