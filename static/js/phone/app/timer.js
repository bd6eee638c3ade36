// The timer as it stands here, {job, due_at} or null: what the server told, and over it what this phone did since. Pure.
// `day` is one of view.js. `isHere`: the office does not know of it yet.

import { HERE } from "./states.js";

export function runningTimer(day, rows) {
  let timer = day.check_in ?? null;
  for (const row of rows) {
    const { entry, state } = row;
    if (state === "refused") continue;
    if (entry.kind === "check_in") timer = { ...timerOf(entry), ...(state === HERE && { isHere: true }) };
    else if (entry.kind === "check_in_done") timer = null;
    else if (timer?.job === entry.job && isClosing(row, day)) timer = null;
  }
  return timer;
}

// One that comes too late (the job was cancelled, or is a colleague's) does not end the timer at the office.
function isClosing({ entry, state, outcome }, { jobs = [] }) {
  if (entry.kind !== "close" || outcome === "late") return false;
  return state !== HERE || jobs.some(({ id, closure }) => id === entry.job && Boolean(closure));
}

function timerOf({ job, occurred_at, body }) {
  return { job, due_at: new Date(Date.parse(occurred_at) + body.minutes * 60_000).toISOString() };
}

// Whether the office still runs a timer that was ended on this phone: by a word that all is well, or by closing its job.
// The office knows what its day tells and what this phone has sent since: the day that tells of it may not have come
// before the signal went.
export function isUnheard(day, rows) {
  const timer = runningTimer(day, rows.filter(({ state }) => state !== HERE));
  const ends = (row) => row.entry.kind === "check_in_done" || (row.entry.job === timer.job && isClosing(row, day));
  return Boolean(timer) && rows.some((row) => row.state === HERE && ends(row));
}
