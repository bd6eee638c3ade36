// The day as the engineer sees it: the server's state with this phone's queued entries applied over it. Pure.

import { farAwayText } from "./arrival_distance.js";
import { PENDING, REFUSED } from "./queue_states.js";
import { isLegal } from "./workflow.js";

// day.json with each job's state, answers, scan and closure as they stand here.
/** @template {{ jobs: ServerJob[] }} Told @param {Told} day @param {QueueRow[]} rows @returns {Omit<Told, "jobs"> & { jobs: Job[] }} */
export function applyQueue(day, rows) {
  /** @type {Map<string, Job>} */
  const jobs = new Map(day.jobs.map((job) => [job.id, { ...job, answers: { ...job.answers }, pending: 0, refused: [] }]));
  for (const row of rows) {
    const job = jobs.get(row.entry.job);
    if (job) applyEntry(job, row);
  }
  return { ...day, jobs: [...jobs.values()] };
}

/** @param {Job} job @param {QueueRow} row */
function applyEntry(job, row) {
  if (row.state === REFUSED) {
    job.refused.push(row);
    return;
  }
  if (row.state === PENDING) job.pending += 1;
  // too late: it is kept and the office sees it, but it did not move the job
  if (row.outcome === "late") job.late = row;
  else if (!row.entry.body.unfinished) /** @type {EntryEffect | undefined} */ (EFFECTS[row.entry.kind])?.(job, row.entry, row);
}

/** @type {{ [Kind in EntryKind]?: (job: Job, entry: EntryOf<Kind>, row: QueueRow) => void }} */
const EFFECTS = {
  en_route: (job) => move(job, "en_route", "en_route"),
  on_site: (job, entry) => {
    if (move(job, "on_site", "on_site")) addFarAwayNotice(job, entry);
  },
  answered: (job, { body }) => {
    job.answers[body.question] = body.value;
    job.sent_back = (job.sent_back ?? []).filter(({ question }) => question !== body.question);
  },
  answer_withdrawn: (job, { body }) => {
    delete job.answers[body.question];
  },
  photo_taken: (job, { body }, row) => {
    job.photos = { ...job.photos, [body.photo_id]: { ...job.photos?.[body.photo_id], row } };
  },
  ont_scanned: (job, entry, row) => {
    // its answer was lost on the way: the day includes it, and perhaps its outcome
    if (job.scan && Date.parse(job.scan.scanned_at) === Date.parse(entry.occurred_at)) return;
    const { fsan, serial_number } = entry.body;
    job.scan = { fsan, serial_number, scanned_at: entry.occurred_at, is_pending: row.state === PENDING };
    job.result = null;
    job.advice = null;
  },
  handover_requested: (job) => {
    job.handover_requested = true;
  },
  close: (job, entry) => {
    // the office or the seller ended it first: this closing comes too late
    if (move(job, "close", "closed")) job.closure = { ...entry.body, closed_at: entry.occurred_at };
  },
};

// Whether an answer of its job names the photo of this row: it was not deleted, cleared or replaced. Of a job that is not
// here any more nobody knows.
/** @param {QueueRow} row @param {Job[]} jobs */
export function isInAnswer({ photo, entry }, jobs) {
  const job = jobs.find(({ id }) => id === entry.job);
  return !job || Object.values(job.answers).some((value) => Array.isArray(value) && value.includes(photo ?? ""));
}

// The value with which an answer no longer names this picture, or null where it does not name it.
/** @param {Pick<Job, "answers">} job @param {string} question @param {string} id @returns {Tap | null} */
export function answerWithoutPhoto(job, question, id) {
  const before = /** @type {string[]} */ ([job.answers[question] ?? []].flat());
  const value = before.filter((photo) => photo !== id);
  if (value.length === before.length) return null;
  return value.length ? { kind: "answered", body: { question, value } } : { kind: "answer_withdrawn", body: { question } };
}

// Until the day has it from the server, which says the same.
/** @param {Job} job @param {EntryOf<"on_site">} entry */
function addFarAwayNotice(job, { occurred_at: at, body: { position } }) {
  const text = farAwayText(job, position);
  if (text) job.notices = [...(job.notices ?? []), { rule: "far_from_premises", at, words: text }];
}

/** @param {Job} job @param {MoveKind} kind @param {JobState} to */
function move(job, kind, to) {
  if (!isLegal(kind, job)) return false;
  job.state = to;
  return true;
}
