// Where an entry of the queue stands (queue.js says what it holds), and which one replaces another. Pure.

const ANSWERS = ["answered", "answer_withdrawn"];
// each picture is one of its own, and a position on the way is not sent twice
const ALONE = ["photo_taken", "driving"];

// only on this phone
export const HERE = "here";
// the server has it
export const SAFE = "safe";
// the server has it and did not apply it
export const REFUSED = "refused";

export function waiting(rows) {
  return rows.filter((row) => row.state === HERE);
}

export function refused(rows) {
  return rows.filter((row) => row.state === REFUSED);
}

// Whether what a person says anew takes the place of what the server refused. Both are entries of the queue.
export function supersedes(entry, refused) {
  if (entry.job !== refused.job || ALONE.includes(entry.kind)) return false;
  if (ANSWERS.includes(entry.kind)) return ANSWERS.includes(refused.kind) && entry.body.question === refused.body.question;
  return entry.kind === refused.kind;
}
