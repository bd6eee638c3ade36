// A question that is answered with pictures, or with a signature, which is one too. The picture is kept and is an
// answer as soon as it is used.

import { photoField } from "../camera/photo_field.js";
import { isPhotoOf, refusedPhotos } from "../camera/photo_rejections.js";
import { refusedRemoval, removal } from "../camera/delete_photo.js";
import { signatureField } from "../camera/signature_field.js";
import { questionUrl } from "../workflow.js";
import { once, replaceRefused, standing, tapWithPicture } from "../actions.js";
import { go } from "../router.js";
import { pictures, refusedPictures } from "./thumbnails.js";

export async function photoPart(context, { question, answer, isAnswered, nextUrl, onward }) {
  const { job, trail } = context;
  const kept = isAnswered ? [answer].flat() : [];
  // whether it was: a phone without room is told of, and the picture is not let go
  const onTaken = async ({ more = false, ...taken }) => {
    let isKept = false;
    await once(async () => {
      // the field may be older than the last refusal
      const { job: now } = await standing(job);
      const after = await take(now, question, taken);
      isKept = true;
      await replaceRefused(now, isPhotoOf(question.code));
      await go(more ? questionUrl(job, question, trail) : onward(after));
    })();
    return isKept;
  };
  const field = question.kind === "signature" ? signatureField : photoField;
  const { body, bar } = field({ job, question, kept, nextUrl: isAnswered ? nextUrl : "", onTaken });
  const refused = refusedPhotos(job, question);
  const shown = [
    kept.length > 0 && (await pictures(job, kept, question.text, (id) => removal(job, question, id))),
    refused.length > 0 && (await refusedPictures(refused, question.text, refusedRemoval)),
  ];
  return { body: [...shown, body], bar };
}

// The picture, what is known of it, and the answer that names it: all of it is kept, or none.
async function take(job, question, taken) {
  const before = question.kind === "signature" ? [] : [job.answers[question.code] ?? []].flat();
  const value = [...new Set([...before, taken.picture.id])];
  return tapWithPicture(job, taken, { then: [{ kind: "answered", body: { question: question.code, value } }] });
}
