// The timer as it stands here, {job, due_at} or null: what the server told, and over it what this phone did since. Pure.
// `isHere`: the office does not know of it yet.

import { HERE } from "./states.js";

export function runningTimer(day, rows) {
  let timer = day.check_in ?? null;
  for (const { entry, state } of rows) {
    if (state === "refused") continue;
    if (entry.kind === "check_in") timer = { ...timerOf(entry), ...(state === HERE && { isHere: true }) };
    else if (entry.kind === "check_in_done") timer = null;
    else if (entry.kind === "close" && timer?.job === entry.job) timer = null;
  }
  return timer;
}

function timerOf({ job, occurred_at, body }) {
  return { job, due_at: new Date(Date.parse(occurred_at) + body.minutes * 60_000).toISOString() };
}

// Whether the office still runs a timer of which this phone has said that all is well.
export function isUnheard(day, rows) {
  return Boolean(day.check_in) && rows.some(({ entry, state }) => state === HERE && entry.kind === "check_in_done");
}
