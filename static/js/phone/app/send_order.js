// Which entries may be sent next. Pure.

import { pendingRows } from "./queue_states.js";

const AT_ONCE = 50;
// what is held is held for seconds; a clock that was set back must not make hours of it
const LONGEST_HOLD_MS = 60_000;

// In order per job: a job's closing waits for that job's pictures, an entry whose position is coming holds its job.
/** @param {QueueRow[]} rows @param {number} [now] milliseconds of this phone's clock */
export function nextToSend(rows, now = Date.now()) {
  const held = new Set();
  /** @type {QueueRow[]} */
  const found = [];
  for (const row of pendingRows(rows)) {
    const { job, kind } = row.entry;
    if (row.announced) {
      held.add(`photo ${job}`);
      continue;
    }
    const photosFirst = kind === "close" && (held.has(`photo ${job}`) || bringsPhoto(found, job));
    if (held.has(job) || isHeld(row, now) || photosFirst) held.add(job);
    else found.push(row);
  }
  return found.slice(0, AT_ONCE);
}

/** @param {QueueRow} row @param {number} now */
function isHeld({ hold_until: until }, now) {
  return until > now && until - now < LONGEST_HOLD_MS;
}

/** @param {QueueRow[]} found @param {string} job */
function bringsPhoto(found, job) {
  return found.some((row) => row.photo && row.entry.job === job);
}
