// A picture leaves its answer: it was deleted, or refused. In the transaction of whoever lets go of it.

import { newId } from "./ids.js";
import { HERE } from "./queue_states.js";
import { asked } from "./database.js";
import { laidOver, withoutPicture } from "./optimistic_state.js";

// `row` announced the picture, `rowOf` makes a row of a tap. The correction is said before a closing that waits for the
// pictures of its job, so that the closing is judged by what is left.
export async function takeOutOfAnswer({ queue, kept }, { photo, entry }, rowOf) {
  const rows = (await asked(queue.getAll())).map((row) => amended(queue, row, photo)).filter(Boolean);
  const day = (await asked(kept.get("day"))) ?? { jobs: [] };
  const job = laidOver(day, rows).jobs.find(({ id }) => id === entry.job);
  const change = job && withoutPicture(job, entry.body.question, photo);
  if (!change) return;
  const row = rowOf({ ...change, job: job.id });
  const closing = rows.findIndex((one) => one.state === HERE && one.entry.kind === "close" && one.entry.job === job.id);
  if (closing > 0) row.at = (rows[closing - 1].at + rows[closing].at) / 2;
  queue.add(row);
}

// An answer that was not sent yet names no picture that does not follow. Under a new id: nobody knows whether the old
// one has reached the server. Gives the row as it is now, or null.
function amended(queue, row, photo) {
  const { kind, body } = row.entry;
  if (row.state !== HERE || kind !== "answered" || !Array.isArray(body.value) || !body.value.includes(photo)) return row;
  const value = body.value.filter((id) => id !== photo);
  const next = value.length ? { ...row, entry: { ...row.entry, message_id: newId(), body: { ...body, value } } } : null;
  if (next) queue.put(next);
  else queue.delete(row.at);
  return next;
}
