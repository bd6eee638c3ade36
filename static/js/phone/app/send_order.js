// Which entries may be sent next. Pure.

import { isInAnswer } from "./optimistic_state.js";
import { pendingRows } from "./queue_states.js";

const AT_ONCE = 50;
// what is held is held for seconds; a clock that was set back must not make hours of it
const LONGEST_HOLD_MS = 60_000;

/** @type {EntryKind[]} */
const SIGNS_OF_LIFE = ["check_in", "check_in_done"];

// What is sent in order: a job's entries, and whether the engineer is safe, which waits for nothing else.
/** @param {QueueRow} row */
export const laneOf = ({ entry }) => (isSignOfLife(entry) ? "signs of life" : entry.job);

/** @param {QueueEntry} entry */
const isSignOfLife = ({ kind }) => SIGNS_OF_LIFE.includes(kind);

// In order per lane: a job's closing waits for the pictures that that job's answers name, an entry whose position is coming holds its job, and
// lanes that are `stuck` wait altogether.
/** @param {QueueRow[]} rows @param {Job[]} jobs as they stand here @param {number} [now] milliseconds of this phone's clock @param {Iterable<string>} [stuck] */
export function nextToSend(rows, jobs, now = Date.now(), stuck = []) {
  const held = new Set(stuck);
  /** @type {QueueRow[]} */
  const found = [];
  for (const row of pendingRows(rows)) {
    const { job, kind } = row.entry;
    if (row.announced) {
      if (isInAnswer(row, jobs)) held.add(`photo ${job}`);
      continue;
    }
    const photosFirst = kind === "close" && (held.has(`photo ${job}`) || bringsPhoto(found, job, jobs));
    const lane = laneOf(row);
    if (held.has(lane) || isHeld(row, now) || photosFirst) held.add(lane);
    else found.push(row);
  }
  // in a batch of their own: the server takes a batch for the order of the taps
  const urgent = found.filter(({ entry }) => isSignOfLife(entry));
  return (urgent.length ? urgent : found).slice(0, AT_ONCE);
}

/** @param {QueueRow} row @param {number} now */
function isHeld({ hold_until: until }, now) {
  return until > now && until - now < LONGEST_HOLD_MS;
}

/** @param {QueueRow[]} found @param {string} job @param {Job[]} jobs */
function bringsPhoto(found, job, jobs) {
  return found.some((row) => row.photo && row.entry.job === job && isInAnswer(row, jobs));
}
