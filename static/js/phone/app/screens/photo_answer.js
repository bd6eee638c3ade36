// A question that is answered with photos, or with a signature, which is stored as one. The photo is an answer as soon
// as it is kept.

import { photoField } from "../camera/photo_field.js";
import { isPhotoOf, refusedPhotos } from "../camera/photo_rejections.js";
import { deleteRefusedButton, deleteButton } from "../camera/delete_photo.js";
import { signatureField } from "../camera/signature_field.js";
import { photoUsedBefore } from "../photo_proofs.js";
import { jobUrl, questionUrl } from "../workflow.js";
import { onTap, dropRefused, latestJob, recordWithPhoto } from "../actions.js";
import { navigateFrom } from "../router.js";
import { thumbnailList, refusedThumbnails } from "./thumbnails.js";

/** @param {JobContext} context @param {AskedQuestion} asked @returns {Promise<FieldParts>} */
export async function photoAnswer(context, { question, answer, isAnswered, onward }) {
  const { job, matrix, wizard, path } = context;
  const stored = /** @type {string[]} */ (isAnswered ? [answer].flat() : []);
  // whether it was: a full phone shows a message, and the picture is kept
  /** @param {TakenPhoto} photo */
  const onTaken = async ({ more = false, ...pending }) => {
    let isKept = false;
    await onTap(async () => {
      // the field may be older than the last refusal
      const { job: now } = await latestJob(job);
      const after = await recordPhoto(now, question, pending);
      isKept = true;
      await dropRefused(now, isPhotoOf(question.code));
      await navigateFrom(path, more ? questionUrl(job, question, wizard) : onward(after));
    })();
    return isKept;
  };
  /** @param {string} sha256 */
  const refuse = async (sha256) => photoUsedBefore((await latestJob(job)).job, matrix, { question, closureCode: wizard.closing }, sha256);
  // the tap decides what is next: a field at work is not drawn again for another address
  const nextUrl = isAnswered ? jobUrl(job, "next", { ...wizard, after: question.code }) : "";
  const options = { job, stored, nextUrl, onTaken, refuse };
  const { body, bar } = question.kind === "photo" ? photoField({ ...options, question }) : signatureField({ ...options, question });
  const refused = refusedPhotos(job, question);
  const parts = [
    stored.length > 0 && (await thumbnailList(job, stored, question.text, (id) => deleteButton(job, question, id))),
    refused.length > 0 && (await refusedThumbnails(refused, question.text, deleteRefusedButton)),
  ];
  return { body: [...parts, body], bar };
}

// The picture, what is known of it, and the answer that names it: all of it is kept, or none.
/** @param {Job} job @param {Question} question @param {TakenPhoto} pending */
async function recordPhoto(job, question, pending) {
  /** @param {Job} now @returns {Tap[]} */
  const last = ({ answers }) => {
    const before = /** @type {string[]} */ (question.kind === "signature" ? [] : [answers[question.code] ?? []].flat());
    return [{ kind: "answered", body: { question: question.code, value: [...new Set([...before, pending.picture.id])] } }];
  };
  return recordWithPhoto(job, pending, { last });
}
