// Photos of a question that were taken and are not kept yet. Each is stored at once, because a phone may end the page at
// any moment, and stays while others are taken, for other questions or by another tab for the same.

import { getPhoto } from "../queue.js";
import { StorageFull, read, resultOf, setValue, write } from "../database.js";
import { isPhotoKey, photoKey } from "../drafts.js";
import { MOUNTED } from "../router.js";
import { _ } from "../i18n.js";
import { isGood } from "./photo_quality.js";

/** @typedef {Pick<PendingPhoto, "id" | "job" | "question" | "key">} PhotoName */
// what is not on the disk, or not yet: a full phone stores none
/** @type {Map<string, PendingPhoto>} */
const unstored = new Map();
// counts what this page does with them, so that a slower look at the disk brings nothing old back
let changes = 0;
/** @type {Promise<unknown>} */
let writing = Promise.resolve();
/** @param {PhotoName} name */
const keyOf = ({ id, job, question, key = photoKey(job, question, id) }) => key;

// The oldest one of this question, or null.
/** @param {Job} job @param {Question} question */
export async function getPendingPhoto(job, question) {
  for (const pending of await findAll(photoKey(job.id, question.code))) {
    // the page may have ended between the tap that used it and this
    if (!job.photos?.[pending.id] && !(await getPhoto(pending.id))) return pending;
    await dropPendingPhoto(pending);
  }
  return null;
}

// Whether another one of its question is to be reviewed, too.
/** @param {PhotoName} name */
export async function hasOtherPending({ id, job, question }) {
  return (await findAll(photoKey(job, question))).some((pending) => pending.id !== id);
}

// In the order in which they were taken.
/** @param {PhotoKey} prefix @returns {Promise<PendingPhoto[]>} */
async function findAll(prefix) {
  const before = changes;
  await writing;
  const found = new Map((await readStored(prefix)).map((photo) => [photo.id, photo]));
  for (const [key, photo] of unstored) if (key.startsWith(prefix)) found.set(photo.id, photo);
  if (before !== changes) return findAll(prefix);
  return [...found.values()].sort((left, right) => (left.taken_at < right.taken_at ? -1 : 1));
}

/** @param {PhotoKey} prefix */
function readStored(prefix) {
  return read("values", async ({ values: store }) => {
    const keys = (await resultOf(store.getAllKeys())).filter(isPhotoKey).filter((key) => key.startsWith(prefix));
    return (await Promise.all(keys.map((key) => readPhoto(store, key)))).filter((photo) => photo !== null);
  });
}

// With the key under which it is stored, or null; in a transaction over this store.
/** @param {ValueStore} store @param {PhotoKey} key @returns {Promise<PendingPhoto | null>} */
export async function readPhoto(store, key) {
  const photo = await resultOf(store.get(key));
  return photo ? { ...photo, key } : null;
}

// What announces it to the server.
/** @param {Omit<PendingPhoto, "bytes">} photo @returns {PhotoBody} */
export function announcementOf({ id, question, sha256, taken_at, source, checks, original_sha256 = "" }) {
  return { photo_id: id, question, sha256, taken_at, source, checks: { ...checks, used_anyway: !isGood(checks) }, original_sha256 };
}

const SAVED = "pending-photo-saved";

// Looks for the photo of a field as soon as that stands in the page, which may be long after it was made. One that is only
// compared with the field on the screen (dom_diff.js) is never put there.
/** @param {HTMLElement} body @param {() => Promise<void>} resume */
export function resumeWhenShown(body, resume) {
  const look = () => body.isConnected && resume().catch(console.error);
  body.addEventListener(SAVED, look);
  body.addEventListener(MOUNTED, look, { once: true });
}

// The field for which this was taken is gone, because an earlier photo of its question was refused or deleted meanwhile:
// the new one has looked too early.
/** @param {PhotoName} name */
export const handOver = ({ question }) => document.querySelector(`[data-photo="${CSS.escape(question)}"]`)?.dispatchEvent(new Event(SAVED));

// "", or what to do on a full phone: it is known all the same, as long as this page lives.
/** @param {PendingPhoto} pending @returns {Promise<string>} */
export function savePendingPhoto(pending) {
  const key = keyOf(pending);
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
export const dropPendingPhoto = (name) => dropPhotoAt(keyOf(name));

/** @param {PhotoKey} key */
export function dropPhotoAt(key) {
  unstored.delete(key);
  return change(() => write("values", ({ values: store }) => resultOf(store.delete(key))));
}

// One after the other, in the order of the taps.
/** @param {() => Promise<unknown>} work */
function change(work) {
  changes += 1;
  const done = writing.then(work);
  writing = done.catch(() => {});
  return done;
}
