// States of a queue entry (frontend/types/queue.d.ts documents its members), and which entry supersedes another. Pure.

/** @type {EntryKind[]} */
const ANSWERS = ["answered", "answer_withdrawn"];
// each picture is one of its own, and a position on the way is not sent twice
/** @type {EntryKind[]} */
const INDEPENDENT = ["photo_taken", "driving"];

// only on this phone
export const PENDING = "pending";
// the server has it
export const SYNCED = "synced";
// the server has it and did not apply it
export const REFUSED = "refused";

/** @param {QueueRow[]} rows */
export function pendingRows(rows) {
  return rows.filter((row) => row.state === PENDING);
}

/** @param {QueueRow[]} rows */
export function refusedRows(rows) {
  return rows.filter((row) => row.state === REFUSED);
}

// Whether a new entry of a person replaces one that the server refused. Both are entries of the queue.
/** @param {QueueEntry} entry @param {QueueEntry} refused */
export function supersedes(entry, refused) {
  if (entry.job !== refused.job || INDEPENDENT.includes(entry.kind) || entry.body.unfinished) return false;
  if (ANSWERS.includes(entry.kind)) return ANSWERS.includes(refused.kind) && entry.body.question === refused.body.question;
  return entry.kind === refused.kind;
}
