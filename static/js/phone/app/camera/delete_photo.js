// Deletes a single photo: one of the answer, sent or not, or one that was refused.

import { h, icon } from "../dom.js";
import { updateRow, deletePhoto, PENDING } from "../queue.js";
import { render } from "../router.js";
import { createOnSlowTap, latestJob, recordFor } from "../actions.js";
import { answerWithoutPhoto } from "../optimistic_state.js";
import { _ } from "../i18n.js";

const LOCK_MS = 3000;

// The button below a picture of the answer.
/** @param {Job} job @param {Question} question @param {string} id */
export function deleteButton(job, question, id) {
  return button(() => removePhoto(job, question, id));
}

// The button below a refused one: it is in no answer any more, and nowhere else.
/** @param {QueueRow} row */
export function deleteRefusedButton(row) {
  return button(() => updateRow(row.at, () => null));
}

/** @type {Promise<unknown>} */
let deleting = Promise.resolve();

// One after the other. Each photo has a guard of its own: it may wait for the network, and nobody else's tap for it.
/** @param {() => Promise<void>} work */
function button(work) {
  const inTurn = () => {
    const done = deleting.then(work);
    deleting = done.catch(() => {});
    return done;
  };
  const onSlowTap = createOnSlowTap();
  return h("button.phone-button", { type: "button", onclick: onSlowTap(inTurn) }, icon("x"), " ", _("Delete photo"));
}

// What is being sent at this very moment stays with the server as a picture of no answer.
/** @param {Job} job @param {Question} question @param {string} id */
async function removePhoto(job, question, id) {
  const { job: now } = await latestJob(job);
  const row = now.photos?.[id]?.row;
  if (row?.state === PENDING) await withSendLock(() => deletePhoto(row.at));
  // the server has it, or its queue is at work: the answer decides
  await recordFor(job, (after) => [answerWithoutPhoto(after, question.code, id) ?? []].flat());
  await render();
}

// The lock of send_queue.js: who holds it may be telling the server of this picture, and lets go at the next failure.
/** @param {() => Promise<void>} work */
async function withSendLock(work) {
  const name = `send-queue-${localStorage.getItem("phone.engineer")}`;
  try {
    await navigator.locks?.request(name, { signal: AbortSignal.timeout(LOCK_MS) }, work);
  } catch (problem) {
    if (!(problem instanceof DOMException)) throw problem;
  }
}
