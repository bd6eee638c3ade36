// The picture that was taken and is not used yet. It is kept at once: a phone may end the page at any moment.
//
// {id, job, question, bytes, sha256, checks, source, taken_at, position?, original_sha256?}

import { picture } from "../queue.js";
import { keep, kept, write } from "../store.js";

const NAME = "photo taken";
let held;

// The one of this question, or null.
export async function waitingFor(job, question) {
  held ??= (await kept(NAME)) ?? null;
  if (held?.job !== job.id || held.question !== question.code) return null;
  // the page ended between the tap that used it and this
  if (await picture(held.id)) await letGo(held.id);
  return held;
}

// Raises Full; it is known all the same, as long as this page lives.
export async function holdBack(taken) {
  held = taken;
  await keep(NAME, taken);
}

export async function letGo(id) {
  if (held && held.id !== id) return;
  held = null;
  await write("kept", ({ kept: store }) => store.delete(NAME));
}
