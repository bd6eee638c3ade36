// States of a queue entry (queue.js documents its fields), and which entry supersedes another. Pure.

const ANSWERS = ["answered", "answer_withdrawn"];
// each picture is one of its own, and a position on the way is not sent twice
const INDEPENDENT = ["photo_taken", "driving"];

// only on this phone
export const PENDING = "pending";
// the server has it
export const SYNCED = "synced";
// the server has it and did not apply it
export const REFUSED = "refused";

export function pendingRows(rows) {
  return rows.filter((row) => row.state === PENDING);
}

export function refusedRows(rows) {
  return rows.filter((row) => row.state === REFUSED);
}

// Whether what a person says anew takes the place of what the server refused. Both are entries of the queue.
export function supersedes(entry, refused) {
  if (entry.job !== refused.job || INDEPENDENT.includes(entry.kind)) return false;
  if (ANSWERS.includes(entry.kind)) return ANSWERS.includes(refused.kind) && entry.body.question === refused.body.question;
  return entry.kind === refused.kind;
}
