// Which jobs are today's. A list of an earlier day is read by this phone's date, put right by what its clock was wrong
// when the list came; where the clock is behind the list, the server's date counts. Pure but for the zone (time_zone.js).

import { dateOf } from "./time_zone.js";
import { isOpen } from "./workflow.js";

const FAR_MS = 3_600_000;
/** @type {JobState[]} */
const IN_PROGRESS = ["en_route", "on_site"];
/** @param {Job} job */
export const isInProgress = ({ state }) => IN_PROGRESS.includes(state);

// A moment of this phone's clock by the server's.
/** @param {Day} day @param {Date} [moment] */
export const serverMoment = ({ clock_ahead: ahead = 0 }, moment = new Date()) => new Date(moment.getTime() - ahead);

// The present moment by the server's clock, as far as it is known. A clock that was far behind when the list came and shows
// so much more now may have been put right since: then it is believed, and a day ends late rather than early.
/** @param {Day} day @param {Date} [now] by this phone's clock */
export function serverNow(day, now = new Date()) {
  const behind = -(day.clock_ahead ?? 0);
  return behind > FAR_MS && now.getTime() - day.fetched_at >= behind ? now : serverMoment(day, now);
}

// The date at the site of a moment of this phone's clock.
/** @param {Day} day @param {Date | number | string} moment */
const serverDateOf = (day, moment) => dateOf(serverMoment(day, new Date(moment)));

// Whether the day has ended that the server sent. One that was fetched today is the server's today, whatever the
// zone of this phone: a day that an earlier version stored does not name the site's.
/** @param {Day} day @param {Date} [now] */
export function isOutdated(day, now = new Date()) {
  const today = dateOf(serverNow(day, now));
  return day.day < today && serverDateOf(day, day.fetched_at) < today;
}

// The same as phone/assigned_jobs.py, is_today: what is begun, closed here or left open of earlier days belongs to today.
/** @param {Job} job @param {Day} day @param {Date} now */
function isToday(job, day, now) {
  if (job.is_today || isInProgress(job) || job.closure) return true;
  return isOutdated(day, now) && dateOf(new Date(job.planned.start)) <= dateOf(serverNow(day, now));
}

/** @param {Job} job @param {Day} day @param {Date} now */
function isOfEarlierDay({ planned, closure }, day, now) {
  if (!isOutdated(day, now)) return false;
  const today = dateOf(serverNow(day, now));
  // closed on this phone
  return dateOf(new Date(planned.end)) < today && (!closure || serverDateOf(day, closure.closed_at) < today);
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
export const isUnassigned = ({ rule }) => rule === "unassigned";
/** @param {{ rule: string }} gone */
export const isRescheduled = ({ rule }) => rule === "new_time";
