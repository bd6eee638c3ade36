// A job and its photos as they stand in the caller's transaction; removes a photo from its answer after it was deleted or
// refused.

import { newId } from "./ids.js";
import { PENDING } from "./queue_states.js";
import { resultOf } from "./database.js";
import { applyQueue, answerWithoutPhoto } from "./optimistic_state.js";

// `row` announced the picture, `createRow` makes a row of a tap. The correction is queued before a closure that waits for the
// pictures of its job, so that the closing is judged by what is left.
/** @param {Pick<Stores, "queue" | "values">} stores @param {PhotoRow} announced @param {(tap: JobTap) => NewRow} createRow */
export async function removeFromAnswer({ queue, values }, { photo, entry }, createRow) {
  const rows = (await resultOf(queue.getAll())).map((row) => withoutPhoto(queue, row, photo));
  const job = await findJob(values, rows, entry.job);
  const change = job && answerWithoutPhoto(job, entry.body.question, photo);
  if (!change) return;
  const row = createRow({ ...change, job: job.id });
  const closing = rows.findIndex((row) => row.state === PENDING && row.entry.kind === "close" && row.entry.job === job.id);
  if (closing > 0) row.at = (rows[closing - 1].at + rows[closing].at) / 2;
  queue.add(row);
}

/** @param {ValueStore} values @param {QueueRow[]} rows @param {string} wanted */
export async function findJob(values, rows, wanted) {
  const day = (await resultOf(values.get("day"))) ?? { jobs: [] };
  return applyQueue(day, rows).jobs.find(({ id }) => id === wanted);
}

// Ids of the photos that the answers of its job named before this row.
/** @param {Pick<Stores, "queue" | "values">} stores @param {QueueRow} row */
export async function answeredPictures({ queue, values }, { at, entry }) {
  const before = (await resultOf(queue.getAll())).filter((other) => other.at < at);
  const job = await findJob(values, before, entry.job);
  return /** @type {string[]} */ (Object.values(job?.answers ?? {}).filter(Array.isArray).flat());
}

// An answer that was not sent yet names no picture that does not follow; one that named no other is withdrawn, since the
// server may have it from a try whose result was lost. Under a new id for the same reason. Gives the row as it is now.
/** @param {QueueStore} queue @param {QueueRow} row @param {string} photo @returns {QueueRow} */
function withoutPhoto(queue, row, photo) {
  const { kind, body } = row.entry;
  if (row.state !== PENDING || kind !== "answered") return row;
  const change = answerWithoutPhoto({ answers: { [body.question]: body.value } }, body.question, photo);
  if (!change) return row;
  const entry = /** @type {QueueEntry} */ ({ ...row.entry, message_id: newId(), kind: change.kind, body: change.body });
  const next = { ...row, entry };
  queue.put(next);
  return next;
}
