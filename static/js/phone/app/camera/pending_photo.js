// The picture that was taken and is not used yet. It is kept at once: a phone may end the page at any moment.
//
// {id, job, question, bytes, sha256, checks, source, taken_at, position?, original_sha256?}

import { picture } from "../queue.js";
import { keep, kept, write } from "../database.js";

const NAME = "photo taken";
let held = null;
// counts what this page does with it, so that a slower look at the disk brings nothing old back
let changes = 0;
let writing = Promise.resolve();

// The one of this question, or null.
export async function waitingFor(job, question) {
  const taken = await current();
  if (taken?.job !== job.id || taken.question !== question.code) return null;
  // the page ended between the tap that used it and this
  if (!job.photos?.[taken.id] && !(await picture(taken.id))) return taken;
  await letGo(taken.id);
  return null;
}

async function current() {
  if (held) return held;
  const before = changes;
  await writing;
  const found = (await kept(NAME)) ?? null;
  if (before === changes) held = found;
  return held;
}

// Raises Full; it is known all the same, as long as this page lives.
export function holdBack(taken) {
  return change(taken, () => keep(NAME, taken));
}

export async function letGo(id) {
  if (held && held.id !== id) return;
  await change(null, () => write("kept", ({ kept: store }) => store.delete(NAME)));
}

// One after the other, in the order of the taps.
function change(taken, work) {
  held = taken;
  changes += 1;
  const done = writing.then(work);
  writing = done.catch(() => {});
  return done;
}
