// The photo that was taken and is not kept yet. It is stored at once, because a phone may end the page at any moment.

import { getPhoto } from "../queue.js";
import { setValue, getValue, write } from "../database.js";

const NAME = "photo taken";
/** @type {PendingPhoto | null} */
let pending = null;
// counts what this page does with it, so that a slower look at the disk brings nothing old back
let changes = 0;
/** @type {Promise<unknown>} */
let writing = Promise.resolve();

// The one of this question, or null.
/** @param {Job} job @param {Question} question */
export async function getPendingPhoto(job, question) {
  const pending = await current();
  if (!pending || pending.job !== job.id || pending.question !== question.code) return null;
  // the page ended between the tap that used it and this
  if (!job.photos?.[pending.id] && !(await getPhoto(pending.id))) return pending;
  await dropPendingPhoto(pending.id);
  return null;
}

async function current() {
  if (pending) return pending;
  const before = changes;
  await writing;
  const found = (await getValue(NAME)) ?? null;
  if (before === changes) pending = found;
  return pending;
}

// Raises Full; it is known all the same, as long as this page lives.
/** @param {PendingPhoto} pending */
export function savePendingPhoto(pending) {
  return change(pending, () => setValue(NAME, pending));
}

/** @param {string} id */
export async function dropPendingPhoto(id) {
  if (pending && pending.id !== id) return;
  await change(null, () => write("values", ({ values: store }) => store.delete(NAME)));
}

// One after the other, in the order of the taps.
/** @param {PendingPhoto | null} photo @param {() => Promise<unknown>} work */
function change(photo, work) {
  pending = photo;
  changes += 1;
  const done = writing.then(work);
  writing = done.catch(() => {});
  return done;
}
