// The newest check of a job's line, as it is stored with the day. Pure; the screen is line_screen.js.

import { applicableQuestions } from "../flow.js";
import { serverTime } from "./clock_skew.js";
import { unknownTime } from "./moment_texts.js";
import { isOpen, isProvisioned, isSecond } from "./workflow.js";

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

// After provisioning, and for every revisit.
/** @param {Job} job */
export const canCheckLine = (job) => isOpen(job) && !isSecond(job) && (job.type === "revisit" || isProvisioned(job));

// The question of the matrix that a check answers, or null.
/** @param {Job} job @param {Matrix} matrix */
export function lineQuestion(job, matrix) {
  const questions = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return questions.find(({ line_check: isOfLine }) => isOfLine) ?? null;
}

// "3 minutes ago" in the language of the page.
/** @param {string} checkedAt @param {number} [now] milliseconds of the server's clock */
export function ageText(checkedAt, now = serverTime()) {
  const age = Math.max(0, now - Date.parse(checkedAt));
  if (Number.isNaN(age)) return unknownTime();
  const [unit, length] = UNITS.find(([, length]) => age >= length) ?? ["minute", 60_000];
  return new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" }).format(-Math.floor(age / length), unit);
}

/** @template {Pick<ServerDay, "jobs">} AnyDay @param {AnyDay} day @param {string} id of the job @param {LineCheck} check @returns {AnyDay} */
export function withLineCheck(day, id, check) {
  return { ...day, jobs: day.jobs.map((job) => (job.id === id ? { ...job, line_check: newest(job.line_check, check) } : job)) };
}

// A day that was loaded while a line was checked lacks the result.
/** @template {Pick<ServerDay, "jobs">} AnyDay @param {AnyDay} day @param {Pick<ServerDay, "jobs"> | undefined} before @returns {AnyDay} */
export function keepLineChecks(day, before) {
  const known = new Map(before?.jobs.map(({ id, line_check: check }) => [id, check]));
  return { ...day, jobs: day.jobs.map((job) => ({ ...job, line_check: newest(job.line_check, known.get(job.id)) })) };
}

/** @param {LineCheck | null | undefined} first @param {LineCheck | null | undefined} second @returns {LineCheck | null} */
function newest(first, second) {
  if (!first || !second) return first ?? second ?? null;
  return Date.parse(second.checked_at) > Date.parse(first.checked_at) ? second : first;
}
