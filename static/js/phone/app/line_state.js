// What is known of a job's line: the newest check, as it is kept with the day. Pure; the screen is line_screen.js.

import { applicableQuestions } from "../flow.js";
import { isOpen, isProvisioned, isSecond } from "./workflow.js";

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

// After provisioning, and for every revisit.
/** @param {Job} job */
export const canCheckLine = (job) => isOpen(job) && !isSecond(job) && (job.type === "revisit" || isProvisioned(job));

// The question of the matrix that a check answers, or null.
/** @param {Job} job @param {Matrix} matrix */
export function lineQuestion(job, matrix) {
  const asked = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return asked.find(({ line_check: isOfLine }) => isOfLine) ?? null;
}

// "3 minutes ago" in the language of the page. A phone whose clock is behind ours says that it was this minute.
/** @param {string} checkedAt @param {number} [now] milliseconds of this phone's clock */
export function ageText(checkedAt, now = Date.now()) {
  const age = Math.max(0, now - Date.parse(checkedAt));
  const [unit, length] = UNITS.find(([, length]) => age >= length) ?? ["minute", 60_000];
  return new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" }).format(-Math.floor(age / length), unit);
}

/** @template {Pick<ServerDay, "jobs">} Told @param {Told} day @param {string} id of the job @param {LineCheck} check @returns {Told} */
export function withLineCheck(day, id, check) {
  return { ...day, jobs: day.jobs.map((job) => (job.id === id ? { ...job, line_check: newest(job.line_check, check) } : job)) };
}

// A day that was on its way while a line was checked does not know of it yet.
/** @template {Pick<ServerDay, "jobs">} Told @param {Told} day @param {Pick<ServerDay, "jobs"> | undefined} before @returns {Told} */
export function keepLineChecks(day, before) {
  const known = new Map(before?.jobs.map(({ id, line_check: check }) => [id, check]));
  return { ...day, jobs: day.jobs.map((job) => ({ ...job, line_check: newest(job.line_check, known.get(job.id)) })) };
}

/** @param {LineCheck | null | undefined} one @param {LineCheck | null | undefined} other @returns {LineCheck | null} */
function newest(one, other) {
  if (!one || !other) return one ?? other ?? null;
  return Date.parse(other.checked_at) > Date.parse(one.checked_at) ? other : one;
}
