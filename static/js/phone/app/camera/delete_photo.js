// Each photo can be deleted alone: one of the answer, sent or not, and one that was refused.

import { h, icon } from "../dom.js";
import { amend, dropPhoto, HERE } from "../queue.js";
import { show } from "../router.js";
import { once, standing, tap } from "../actions.js";
import { withoutPicture } from "../optimistic_state.js";
import { _ } from "../i18n.js";

const PATIENCE_MS = 3000;

// The button below a picture of the answer.
export function removal(job, question, id) {
  return button(() => takeAway(job, question, id));
}

// The button below a refused one: it is in no answer any more, and nowhere else.
export function refusedRemoval(row) {
  return button(() => amend(row.at, () => null));
}

const button = (work) => h("button.phone-button", { type: "button", onclick: once(work) }, icon("x"), " ", _("Delete it"));

// What is being sent at this very moment stays with the server as a picture of no answer.
async function takeAway(job, question, id) {
  const { job: now } = await standing(job);
  const row = now.photos?.[id]?.row;
  if (row?.state === HERE) await whenNobodySends(() => dropPhoto(row.at));
  // the server has it, or its queue is at work: the answer says it
  const { job: after } = await standing(job);
  const change = withoutPicture(after, question.code, id);
  if (change) await tap(job, [change]);
  await show();
}

// The lock of send_queue.js: who holds it may be telling the server of this picture, and lets go at the next failure.
async function whenNobodySends(work) {
  const name = `drain-${localStorage.getItem("phone.engineer")}`;
  try {
    await navigator.locks?.request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, work);
  } catch (problem) {
    if (!(problem instanceof DOMException)) throw problem;
  }
}
