// A photo that the server has not heard of yet can be deleted.

import { h, icon } from "../dom.js";
import { amend, HERE } from "../queue.js";
import { show } from "../router.js";
import { once, standing, tap } from "../taps.js";
import { _ } from "../words.js";

const PATIENCE_MS = 3000;

// The button below a picture of the answer, or "" once it was sent.
export function removal(job, question, id) {
  if (!unsent(job, id)) return "";
  const onclick = once(() => takeAway(job, question, id));
  return h("button.phone-button", { type: "button", onclick }, icon("x"), " ", _("Delete it"));
}

function unsent(job, id) {
  const row = job.photos?.[id]?.row;
  return row?.state === HERE && !row.announced ? row : null;
}

// Out of the answer first. What is being sent at this very moment stays with the server as a picture of no answer.
async function takeAway(job, question, id) {
  const { job: now } = await standing(job);
  const value = [now.answers[question.code] ?? []].flat().filter((one) => one !== id);
  const answered = { kind: "answered", body: { question: question.code, value } };
  const withdrawn = { kind: "answer_withdrawn", body: { question: question.code } };
  await tap(job, [value.length ? answered : withdrawn]);
  const row = unsent(now, id);
  if (row) await whenNobodySends(() => amend(row.at, (found) => (found.announced ? found : null)));
  await show();
}

// The lock of drain.js: who holds it may be telling the server of this picture, and lets go at the next failure.
async function whenNobodySends(work) {
  const name = `drain-${localStorage.getItem("phone.engineer")}`;
  try {
    await navigator.locks?.request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, work);
  } catch (problem) {
    if (!(problem instanceof DOMException)) throw problem;
  }
}
