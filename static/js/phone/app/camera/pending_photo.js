// The photo of a question that was taken and is not kept yet. It is stored at once, because a phone may end the page at
// any moment, and stays while others are taken for other questions.

import { getPhoto } from "../queue.js";
import { StorageFull, getValue, resultOf, setValue, write } from "../database.js";
import { photoKey } from "../drafts.js";
import { _ } from "../i18n.js";

/** @typedef {Pick<PendingPhoto, "id" | "job" | "question">} PhotoName */
// what is not on the disk, or not yet: a full phone stores none
/** @type {Map<string, PendingPhoto>} */
const unstored = new Map();
// counts what this page does with them, so that a slower look at the disk brings nothing old back
let changes = 0;
/** @type {Promise<unknown>} */
let writing = Promise.resolve();

// The one of this question, or null.
/** @param {Job} job @param {Question} question */
export async function getPendingPhoto(job, question) {
  const pending = await find(photoKey(job.id, question.code));
  // the page may have ended between the tap that used it and this
  if (!pending || (!job.photos?.[pending.id] && !(await getPhoto(pending.id)))) return pending;
  await dropPendingPhoto(pending);
  return null;
}

/** @param {ReturnType<typeof photoKey>} key @returns {Promise<PendingPhoto | null>} */
async function find(key) {
  const before = changes;
  await writing;
  const found = unstored.get(key) ?? (await getValue(key)) ?? null;
  return before === changes ? found : find(key);
}

const SAVED = "pending-photo-saved";

// Looks for the photo of a field as soon as that stands in the page. One that is only compared with the field on the
// screen (dom_diff.js) is never put there.
/** @param {HTMLElement} body @param {() => Promise<void>} resume */
export function resumeWhenShown(body, resume) {
  const look = () => body.isConnected && resume().catch(console.error);
  body.addEventListener(SAVED, look);
  requestAnimationFrame(look);
}

// The field for which this was taken is gone, because an earlier photo of its question was refused or deleted meanwhile:
// the new one has looked too early.
/** @param {PhotoName} name */
export const handOver = ({ question }) => document.querySelector(`[data-photo="${CSS.escape(question)}"]`)?.dispatchEvent(new Event(SAVED));

// "", or what to do on a full phone: it is known all the same, as long as this page lives.
/** @param {PendingPhoto} pending @returns {Promise<string>} */
export function savePendingPhoto(pending) {
  const key = photoKey(pending.job, pending.question);
  unstored.set(key, pending);
  const stored = change(async () => {
    await setValue(key, pending);
    if (unstored.get(key) === pending) unstored.delete(key);
  });
  return stored.then(() => "", storageFullText);
}

/** @param {unknown} problem */
function storageFullText(problem) {
  if (!(problem instanceof StorageFull)) throw problem;
  return _("This phone is full. The photo is lost if you close this page: keep it now, or free up space first.");
}

// Another one of the same question, perhaps of another tab, stays.
/** @param {PhotoName} name */
export function dropPendingPhoto({ id, job, question }) {
  const key = photoKey(job, question);
  if (unstored.get(key)?.id === id) unstored.delete(key);
  return change(() =>
    write("values", async ({ values: store }) => {
      if ((await resultOf(store.get(key)))?.id === id) await resultOf(store.delete(key));
    }),
  );
}

// One after the other, in the order of the taps.
/** @param {() => Promise<unknown>} work */
function change(work) {
  changes += 1;
  const done = writing.then(work);
  writing = done.catch(() => {});
  return done;
}
