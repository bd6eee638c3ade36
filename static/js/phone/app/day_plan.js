// Which jobs are today's. A list of an earlier day is read by this phone's date, unless its clock is wrong or behind
// the list; then the server's date counts. Pure.

import { isOpen } from "./workflow.js";

/** @type {JobState[]} */
const IN_PROGRESS = ["en_route", "on_site"];
/** @param {Job} job */
export const isInProgress = ({ state }) => IN_PROGRESS.includes(state);

// `2026-11-23`, of this phone's zone.
/** @param {Date} moment */
export function dateOf(moment) {
  const parts = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

// Whether the day has ended that the server sent. One that was fetched today is the server's today, whatever the
// zone of this phone.
/** @param {Day} day @param {Date} [now] */
export function isOutdated(day, now = new Date()) {
  const today = dateOf(now);
  return !day.clock_ahead && day.day < today && dateOf(new Date(day.fetched_at)) < today;
}

// The same as phone/assigned_jobs.py, is_today: what is begun, closed here or left open of earlier days belongs to today.
/** @param {Job} job @param {Day} day @param {Date} now */
function isToday(job, day, now) {
  if (job.is_today || isInProgress(job) || job.closure) return true;
  return isOutdated(day, now) && dateOf(new Date(job.planned.start)) <= dateOf(now);
}

/** @param {Job} job @param {Day} day @param {Date} now */
function isOfEarlierDay({ planned, closure }, day, now) {
  if (!isOutdated(day, now)) return false;
  return [planned.end, closure?.closed_at].every((moment) => !moment || dateOf(new Date(moment)) < dateOf(now));
}

// {open, over, earlier, tomorrow}: what is under way comes first, the rest keeps the order of the plan. `over` ended
// today, `earlier` before.
/** @param {Day} day @param {Date} [now] */
export function planDay(day, now = new Date()) {
  const today = day.jobs.filter((job) => isToday(job, day, now));
  const ended = today.filter((job) => !isOpen(job));
  const earlier = ended.filter((job) => isOfEarlierDay(job, day, now));
  return {
    open: today.filter(isOpen).sort((a, b) => Number(isInProgress(b)) - Number(isInProgress(a))),
    over: ended.filter((job) => !earlier.includes(job)),
    earlier,
    tomorrow: day.jobs.filter((job) => !today.includes(job)),
  };
}

// Whether the list of today's open jobs begins with it.
/** @param {Day} day @param {Pick<Job, "id">} job @param {Date} [now] */
export const isNextJob = (day, { id }, now) => planDay(day, now).open[0]?.id === id;

// By which rule of dispatch/sync_conflicts.py a job has left the list: nobody has it, it comes on a later day, or a
// colleague has it.
/** @param {{ rule: string }} gone */
export const isUnassigned = ({ rule }) => rule === "taken_off";
/** @param {{ rule: string }} gone */
export const isRescheduled = ({ rule }) => rule === "new_time";
