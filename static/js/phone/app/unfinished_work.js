// What was begun for jobs that have ended or are no longer this engineer's: no page of a job leads to it. It is listed until
// it is sent to the office, which keeps it with the job, or deleted.

import { announcementOf, dropPendingPhoto } from "./camera/pending_photo.js";
import { listUnsentWork } from "./data_retention.js";
import { read, resultOf } from "./database.js";
import { isRescheduled } from "./day_plan.js";
import { deleteDraft, isOfJob } from "./drafts.js";
import { addAll } from "./queue.js";
import { isOpen } from "./workflow.js";

const PAGE = /^\/phone\/jobs\/([^/]+)\/(?:([^/?]+)\/)?(?:([^/?]+)\/)?/;

/** @param {Pick<Day, "jobs">} day */
export function listUnfinishedWork(day) {
  return read(["values", "photos"], async ({ values, photos }) => {
    const work = (await listUnsentWork(values, day)).filter(({ address }) => !isOfJob(address, day.jobs.filter(isOpen)));
    // the page may have ended between the tap that sent a photo and its deletion
    const sent = await Promise.all(work.map(({ photo }) => (photo ? resultOf(photos.get(photo.id)) : undefined)));
    return work.filter((_work, at) => !sent[at]);
  });
}

// {job, page, code}: the job's id, the page of the job and the code of its question.
/** @param {BegunWork} work */
export function pageOf({ address }) {
  const [, job = "", page = "", code = ""] = PAGE.exec(address) ?? [];
  return { job: decodeURIComponent(job), page, code: decodeURIComponent(code) };
}

// What sends it, or null where its page alone can finish it: a closing, a scan.
/** @param {BegunWork} work @returns {JobTap | null} */
export function tapFor(work) {
  const { photo, draft } = work;
  const { job, page, code } = pageOf(work);
  if (photo) return { job, kind: "photo_taken", body: announcementOf(photo), picture: { id: photo.id, bytes: photo.bytes, sha256: photo.sha256 } };
  if (page === "question") return { job, kind: "answered", body: { question: code, value: draft.value } };
  return page === "hand-over" ? { job, kind: "handover_requested", body: { reason: draft.reason } } : null;
}

// Whether the job may come back, and its page with it: the office only moved the visit, or the server could not show it.
/** @param {BegunWork} work @param {Pick<Day, "gone" | "broken">} day */
export const mayComeBack = ({ address }, { gone = [], broken = [] }) => isOfJob(address, [...gone.filter(isRescheduled), ...broken]);

/** @param {BegunWork} work @param {JobTap} tap */
export async function sendWork(work, tap) {
  await addAll([tap]);
  await deleteWork(work);
}

/** @param {BegunWork} work */
export async function deleteWork({ address, photo }) {
  await (photo ? dropPendingPhoto(photo) : deleteDraft(address));
}
