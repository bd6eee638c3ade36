// The photo that was taken and is not kept yet. It is stored at once, because a phone may end the page at any moment.
//
// {id, job, question, bytes, sha256, checks, source, taken_at, position?, original_sha256?}

import { getPhoto } from "../queue.js";
import { setValue, getValue, write } from "../database.js";

const NAME = "photo taken";
let pending = null;
// counts what this page does with it, so that a slower look at the disk brings nothing old back
let changes = 0;
let writing = Promise.resolve();

// The one of this question, or null.
export async function getPendingPhoto(job, question) {
  const taken = await current();
  if (taken?.job !== job.id || taken.question !== question.code) return null;
  // the page ended between the tap that used it and this
  if (!job.photos?.[taken.id] && !(await getPhoto(taken.id))) return taken;
  await dropPendingPhoto(taken.id);
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
export function savePendingPhoto(taken) {
  return change(taken, () => setValue(NAME, taken));
}

export async function dropPendingPhoto(id) {
  if (pending && pending.id !== id) return;
  await change(null, () => write("values", ({ values: store }) => store.delete(NAME)));
}

// One after the other, in the order of the taps.
function change(taken, work) {
  pending = taken;
  changes += 1;
  const done = writing.then(work);
  writing = done.catch(() => {});
  return done;
}
