// A question that is answered with pictures, or with a signature, which is one too. The picture is kept and is an
// answer as soon as it is used.

import { photoField } from "../camera/field.js";
import { removal } from "../camera/removal.js";
import { signatureField } from "../camera/signature.js";
import { questionUrl } from "../steps.js";
import { once, standing, tapWithPicture } from "../taps.js";
import { go } from "../router.js";
import { pictures } from "./pictures.js";

export async function photoPart(context, { question, answer, isAnswered, nextUrl, onward }) {
  const { job, trail } = context;
  const kept = isAnswered ? [answer].flat() : [];
  // whether it was: a phone without room is told of, and the picture is not let go
  const onTaken = async ({ more = false, ...taken }) => {
    let isKept = false;
    await once(async () => {
      const after = await take(job, question, taken);
      isKept = true;
      await go(more ? questionUrl(job, question, trail) : onward(after));
    })();
    return isKept;
  };
  const field = question.kind === "signature" ? signatureField : photoField;
  const { body, bar } = field({ job, question, kept, nextUrl: isAnswered ? nextUrl : "", onTaken });
  return { body: [kept.length > 0 && (await pictures(job, kept, question.text, (id) => removal(job, question, id))), body], bar };
}

// The picture, what is known of it, and the answer that names it: all of it is kept, or none.
async function take(job, question, taken) {
  const { job: now } = await standing(job);
  const before = question.kind === "signature" ? [] : [now.answers[question.code] ?? []].flat();
  const value = [...new Set([...before, taken.picture.id])];
  return tapWithPicture(job, taken, { then: [{ kind: "answered", body: { question: question.code, value } }] });
}
