// The day as the engineer sees it: the server's state with this phone's queued entries applied over it. Pure.

import { PENDING, REFUSED } from "./queue_states.js";
import { isOpen } from "./workflow.js";

// {jobs: [job…], …} of day.json with each job's state, answers, scan and closure as they stand here.
export function applyQueue(day, rows) {
  const jobs = new Map(day.jobs.map((job) => [job.id, { ...job, answers: { ...job.answers }, pending: 0, refused: [] }]));
  for (const row of rows) {
    const job = jobs.get(row.entry.job);
    if (job) applyEntry(job, row);
  }
  return { ...day, jobs: [...jobs.values()] };
}

function applyEntry(job, row) {
  if (row.state === REFUSED) {
    job.refused.push(row);
    return;
  }
  if (row.state === PENDING) job.pending += 1;
  // too late: it is kept and the office sees it, but it did not move the job
  if (row.outcome === "late") job.late = row;
  else EFFECTS[row.entry.kind]?.(job, row.entry, row);
}

const EFFECTS = {
  en_route: (job) => changeState(job, "assigned", "en_route"),
  on_site: (job) => changeState(job, "en_route", "on_site") || changeState(job, "assigned", "on_site"),
  answered: (job, { body }) => {
    job.answers[body.question] = body.value;
  },
  answer_withdrawn: (job, { body }) => {
    delete job.answers[body.question];
  },
  photo_taken: (job, { body }, row) => {
    job.photos = { ...job.photos, [body.photo_id]: { ...job.photos?.[body.photo_id], row } };
  },
  ont_scanned: (job, entry, row) => {
    // its answer was lost on the way: the day tells of it, and perhaps of what came of it
    if (job.scan && Date.parse(job.scan.scanned_at) === Date.parse(entry.occurred_at)) return;
    const { fsan, serial_number } = entry.body;
    job.scan = { fsan, serial_number, scanned_at: entry.occurred_at, is_pending: row.state === PENDING };
    job.result = null;
    job.advice = null;
  },
  hand_over_asked: (job) => {
    job.hand_over_asked = true;
  },
  close: (job, entry) => {
    // the office or the seller ended it first: this closing comes too late
    if (!isOpen(job)) return;
    job.state = "closed";
    job.closure = { ...entry.body, closed_at: entry.occurred_at };
  },
};

// What to say so that an answer names this picture no more: a tap {kind, body}, or null where it does not name it.
export function answerWithoutPhoto(job, question, id) {
  const before = [job.answers[question] ?? []].flat();
  const value = before.filter((one) => one !== id);
  if (value.length === before.length) return null;
  return value.length ? { kind: "answered", body: { question, value } } : { kind: "answer_withdrawn", body: { question } };
}

function changeState(job, from, to) {
  if (job.state !== from) return false;
  job.state = to;
  return true;
}
