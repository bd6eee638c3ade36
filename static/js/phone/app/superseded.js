// Whether what a person says anew takes the place of what the server refused. Pure.

const ANSWERS = ["answered", "answer_withdrawn"];
// each picture is one of its own, and a place on the way is nobody's to say again
const ALONE = ["photo_taken", "driving"];

// Both are entries of the queue.
export function supersedes(entry, refused) {
  if (entry.job !== refused.job || ALONE.includes(entry.kind)) return false;
  if (ANSWERS.includes(entry.kind)) return ANSWERS.includes(refused.kind) && entry.body.question === refused.body.question;
  return entry.kind === refused.kind;
}
