// What was begun and can't be finished now: its job has ended, was rescheduled or is a colleague's, so that no page of it
// can be opened. It is listed until it is sent to the office, which keeps it with the job, or deleted.

import { MAX_REASON_CHARACTERS, validateText } from "./answer_validation.js";
import { announcementOf, dropPhotoAt, readPhoto } from "./camera/pending_photo.js";
import { hasPages, listUnsentWork } from "./data_retention.js";
import { read, resultOf } from "./database.js";
import { isRescheduled } from "./day_plan.js";
import { deleteDraft, isOfJob, isPhotoKey } from "./drafts.js";
import { addInsteadOf } from "./queue.js";

const PAGE = /^\/phone\/jobs\/([^/]+)\/(?:([^/?]+)\/)?(?:([^/?]+)\/)?/;

/** @param {Pick<Day, "jobs">} day */
export function listUnfinishedWork(day) {
  return read(["values", "photos"], async ({ values, photos }) => {
    const work = (await listUnsentWork(values, day)).filter(({ address }) => !isOfJob(address, day.jobs.filter(hasPages)));
    // the page may have ended between the tap that kept a photo and its deletion
    const stored = new Set(await resultOf(photos.getAllKeys()));
    return work.filter(({ key, isPhoto }) => !isPhoto || !stored.has(key.slice(key.lastIndexOf("/") + 1)));
  });
}

// With the photos, which only cards need.
/** @param {BegunWork[]} work @returns {Promise<UnfinishedCard[]>} */
export function readCards(work) {
  return read("values", ({ values }) => Promise.all(work.map(async (each) => ({ ...each, photo: isPhotoKey(each.key) ? await readPhoto(values, each.key) : null }))));
}

// {job, page, code}: the job's id, the page of the job and the code of its question.
/** @param {BegunWork} work */
export function pageOf({ address }) {
  const [, job = "", page = "", code = ""] = PAGE.exec(address) ?? [];
  return { job: decodeURIComponent(job), page, code: decodeURIComponent(code) };
}

// What sends it, or null where its page alone can finish it: a closing, a scan, a text that the server would refuse.
/** @param {UnfinishedCard} work @returns {JobTap | null} */
export function tapFor(work) {
  const { photo, draft } = work;
  const { job, page, code } = pageOf(work);
  if (photo) return { job, kind: "photo_taken", body: announcementOf(photo), picture: { id: photo.id, bytes: photo.bytes, sha256: photo.sha256 } };
  const { value } = validateText(draft.value ?? draft.reason, page === "hand-over" ? MAX_REASON_CHARACTERS : undefined);
  if (value === undefined) return null;
  // the server makes no answer and no request of it, whoever has the job by then
  if (page === "question") return { job, kind: "answered", body: { question: code, value, unfinished: true } };
  return page === "hand-over" ? { job, kind: "handover_requested", body: { reason: value, unfinished: true } } : null;
}

// Whether the job may come back, and its page with it: the office only moved the visit, or the server could not show it.
/** @param {BegunWork} work @param {Pick<Day, "gone" | "broken">} day */
export const mayComeBack = ({ address }, { gone = [], broken = [] }) => isOfJob(address, [...gone.filter(isRescheduled), ...broken]);

// Once, whichever tab is the first.
/** @param {BegunWork} work @param {JobTap} tap */
export async function sendWork(work, tap) {
  await addInsteadOf(work.key, tap);
  await deleteWork(work);
}

// Here and in what this page remembers.
/** @param {BegunWork} work */
export async function deleteWork({ key, address }) {
  await (isPhotoKey(key) ? dropPhotoAt(key) : deleteDraft(address));
}
