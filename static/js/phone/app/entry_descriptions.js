// Describes entries of the queue: title, status, and the page that fixes a problem. Pure.

import { isRescheduled, isUnassigned } from "./day_plan.js";
import { PENDING, REFUSED } from "./queue_states.js";
import { DEFAULT_WIZARD, questionUrl, jobUrl } from "./workflow.js";
import { displayAnswer } from "./answer_validation.js";
import { isInAnswer } from "./optimistic_state.js";
import { _, fill } from "./i18n.js";

/** @type {{ [Kind in EntryKind]: (entry: EntryOf<Kind>, question: Question | undefined, closures: ClosureCode[]) => string }} */
const DESCRIPTIONS = {
  en_route: () => _("On my way"),
  on_site: () => _("I'm on site"),
  answered: ({ body }, question) => (question ? answeredText(question, body.value) : fill(_("Answer to question %(question)s"), body)),
  answer_withdrawn: ({ body }, question) => fill(_("Answer cleared: %(question)s"), { question: question?.text ?? body.question }),
  photo_taken: ({ body }, question) => fill(_("Photo: %(question)s"), { question: question?.text ?? body.question }),
  ont_scanned: ({ body }) => fill(_("ONT scanned: %(fsan)s"), body),
  check_in: () => _("Lone-worker timer set"),
  check_in_done: () => _("Lone-worker check-in: I'm OK"),
  handover_requested: ({ body }) => fill(_("Handover requested: %(reason)s"), body),
  driving: () => _("Location while driving"),
  close: ({ body }, _question, closures) => fill(_("Closed: %(how)s"), { how: outcomeText(body, closures) }),
};

// A question ends with a mark of its own.
/** @param {Question} question @param {AnswerValue} value */
function answeredText(question, value) {
  return `${question.text}${question.text.endsWith("?") ? "" : ":"} ${answerText(question, value)}`;
}

// An older answer may be of a shape that today's matrix does not know.
/** @param {Question} question @param {AnswerValue} value */
function answerText(question, value) {
  try {
    return displayAnswer(question, value);
  } catch {
    return String(value);
  }
}

/** @param {EntryBodies["close"]} body @param {ClosureCode[]} closures */
function outcomeText({ code }, closures) {
  return closures.find((closure) => closure.code === code)?.description ?? code;
}

// {title, premises, url}: what it was, at which job, and the page of the step ("" when the job is not on this phone; then
// the other jobs' texts of its codes describe it).
/** @param {Pick<QueueRow, "entry">} row @param {Day} day */
export function describeEntry({ entry }, day) {
  const job = day.jobs.find(({ id }) => id === entry.job);
  const question = questionOf(entry, job, day);
  const describe = /** @type {EntryDescription | undefined} */ (DESCRIPTIONS[entry.kind]) ?? (() => _("A message"));
  const premises = describePremises(entry.job, day);
  const closures = job ? job.closures : day.jobs.flatMap((other) => other.closures);
  const title = describe(entry, question, closures);
  return { title: entry.body.unfinished ? fill(_("Unfinished: %(title)s"), { title }) : title, premises, url: job ? stepUrl(entry, job, question) : "" };
}

// Of a job by its id, which may have left the list.
/** @param {string} id @param {Pick<Day, "jobs" | "gone">} day */
export function describePremises(id, { jobs, gone = [] }) {
  const here = jobs.find((job) => job.id === id);
  if (here) return `${here.page.kind}, ${here.page.address}`;
  const absent = gone.find((job) => job.id === id);
  if (!absent) return fill(_("Job %(job)s, not on this phone"), { job: id });
  if (isRescheduled(absent)) return fill(_("%(address)s, rescheduled"), absent);
  return fill(isUnassigned(absent) ? _("%(address)s, unassigned") : _("%(address)s, reassigned"), absent);
}

/** @param {QueueEntry} entry @param {Job | undefined} job @param {Day} day */
function questionOf({ body }, job, { matrices }) {
  const questions = job ? (matrices[job.matrix]?.questions ?? []) : Object.values(matrices).flatMap((matrix) => matrix.questions);
  return questions.find(({ code }) => code === body?.question);
}

/** @param {QueueEntry} entry @param {Job} job @param {Question | undefined} question */
function stepUrl({ kind, body }, job, question) {
  if (question) return questionUrl(job, question, DEFAULT_WIZARD);
  /** @type {Partial<Record<EntryKind, string>>} */
  const pages = { en_route: "travel", on_site: "arrive", ont_scanned: "scan", close: "review", handover_requested: "hand-over" };
  if (kind === "close" && !isSuccess(body, job)) return jobUrl(job, "cant-complete");
  return jobUrl(job, pages[kind] ?? "");
}

/** @param {EntryBodies["close"]} body @param {Job} job */
function isSuccess({ code }, job) {
  return Boolean(job.closures.find((closure) => closure.code === code)?.succeeds);
}

// {tone, icon, words}: its status, never by colour alone.
/** @param {QueueRow} row @param {number} [now] milliseconds of this phone's clock */
export function entryStatus(row, now = Date.now()) {
  if (row.state === REFUSED) return { tone: "alarm", icon: "warning", words: _("Refused") };
  if (row.state !== PENDING) return syncedStatus(row);
  if (row.announced) return { tone: "warning", icon: "image", words: _("Photo waiting to send") };
  if (row.hold_until > now) return { tone: "warning", icon: "map-pin", words: _("Waiting for your location") };
  return { tone: "warning", icon: "wifi-off", words: _("Waiting to send") };
}

/** @param {QueueRow} row */
function syncedStatus({ outcome }) {
  const text = outcome === "late" ? _("Received, but the job had already changed. The office can see it.") : _("Sent");
  return { tone: "good", icon: "check", words: text };
}

/** @param {QueueRow} row */
const isWaitingPhoto = (row) => row.state === PENDING && Boolean(row.photo);

// Closings that wait for pictures of their job's answers: [{row, photos}].
/** @param {QueueRow[]} rows @param {Job[]} jobs */
export function listWaitingClosures(rows, jobs) {
  const closings = rows.filter((row) => row.state === PENDING && row.entry.kind === "close");
  /** @param {QueueRow} row */
  const before = (row) => rows.filter((other) => isWaitingPhoto(other) && isInAnswer(other, jobs) && other.entry.job === row.entry.job && other.at < row.at);
  return closings.map((row) => ({ row, photos: before(row).length })).filter(({ photos }) => photos > 0);
}

// {done, all, part}: pictures of this round, and how much of all of them is over, from 0 to 1 by their bytes.
/** @param {QueueRow[]} rows @param {SendStatus["photo"]} [sending] */
export function photoProgress(rows, sending = null) {
  const photos = rows.filter((row) => row.photo && row.state !== REFUSED);
  const over = photos.filter((row) => row.state !== PENDING);
  /** @param {QueueRow[]} some */
  const bytes = (some) => some.reduce((sum, row) => sum + weight(row), 0);
  const now = photos.find((row) => row.photo === sending?.id && row.state === PENDING);
  const sent = bytes(over) + (sending && now ? weight(now) * sending.part : 0);
  return { done: over.length, all: photos.length, part: photos.length ? sent / bytes(photos) : 0 };
}

/** @param {QueueRow} row */
const weight = (row) => row.bytes || 1;
