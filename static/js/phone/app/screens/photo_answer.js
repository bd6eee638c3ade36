// A question that is answered with photos, or with a signature, which is stored as one. The photo is an answer as soon
// as it is kept.

import { photoField } from "../camera/photo_field.js";
import { isPhotoOf, refusedPhotos } from "../camera/photo_rejections.js";
import { deleteRefusedButton, deleteButton } from "../camera/delete_photo.js";
import { signatureField } from "../camera/signature_field.js";
import { questionUrl } from "../workflow.js";
import { onTap, dropRefused, latestJob, recordWithPhoto } from "../actions.js";
import { navigate } from "../router.js";
import { thumbnailList, refusedThumbnails } from "./thumbnails.js";

export async function photoAnswer(context, { question, answer, isAnswered, nextUrl, onward }) {
  const { job, wizard } = context;
  const kept = isAnswered ? [answer].flat() : [];
  // whether it was: a phone without room is told of, and the picture is not let go
  const onTaken = async ({ more = false, ...taken }) => {
    let isKept = false;
    await onTap(async () => {
      // the field may be older than the last refusal
      const { job: now } = await latestJob(job);
      const after = await recordPhoto(now, question, taken);
      isKept = true;
      await dropRefused(now, isPhotoOf(question.code));
      await navigate(more ? questionUrl(job, question, wizard) : onward(after));
    })();
    return isKept;
  };
  const field = question.kind === "signature" ? signatureField : photoField;
  const { body, bar } = field({ job, question, kept, nextUrl: isAnswered ? nextUrl : "", onTaken });
  const refused = refusedPhotos(job, question);
  const shown = [
    kept.length > 0 && (await thumbnailList(job, kept, question.text, (id) => deleteButton(job, question, id))),
    refused.length > 0 && (await refusedThumbnails(refused, question.text, deleteRefusedButton)),
  ];
  return { body: [...shown, body], bar };
}

// The picture, what is known of it, and the answer that names it: all of it is kept, or none.
async function recordPhoto(job, question, taken) {
  const before = question.kind === "signature" ? [] : [job.answers[question.code] ?? []].flat();
  const value = [...new Set([...before, taken.picture.id])];
  return recordWithPhoto(job, taken, { then: [{ kind: "answered", body: { question: question.code, value } }] });
}
