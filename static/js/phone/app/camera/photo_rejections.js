// Texts for rejected photos: rejected by this phone when chosen, or by the server when uploaded.

import { REFUSED } from "../queue_states.js";
import { _ } from "../i18n.js";
import { InvalidImage } from "./image_formats.js";

/** @type {Record<ImageProblem, () => string>} */
const TEXT_WHEN_CHOSEN = {
  empty: () => _("This file is empty. Take the photo again."),
  wrong_type: () => _("This file is not a picture. A photo is a JPEG, PNG, WebP or HEIC file. Take the photo again."),
  unreadable: () => _("This photo is damaged or incomplete. Take it again."),
};
/** @type {Record<string, (() => string) | undefined>} */
const TEXT_WHEN_SENT = {
  wrong_type: () => _("Refused: not a picture. Take it again."),
  unreadable: () => _("Refused: damaged or incomplete. Take it again."),
  too_large: () => _("Refused: too large. Take it again."),
  too_many_pixels: () => _("Refused: too large. Take it again."),
  hash_differs: () => _("Refused: it arrived damaged several times. Take it again."),
  photo_differs: () => _("Refused: the office has a different photo under this number. Take it again."),
  unknown_photo: () => _("Refused: unknown photo. Take it again."),
  photo_gone: () => _("No longer on this phone. Take it again."),
};

// "" for a fault of our own.
/** @param {unknown} problem */
export const invalidImageText = (problem) => (problem instanceof InvalidImage ? TEXT_WHEN_CHOSEN[problem.code]() : "");

// The pictures of a question that were refused, rows of the queue.
/** @param {Job} job @param {Question} question */
export function refusedPhotos({ refused }, { code }) {
  return refused.filter((row) => row.state === REFUSED && isPhotoOf(code)(row.entry));
}

/** @type {(code: string) => (entry: QueueEntry) => boolean} */
export const isPhotoOf = (code) => ({ kind, body }) => kind === "photo_taken" && body.question === code;

// Of any row that was refused: a photo's problems as our own texts, everything else as the server's.
/** @param {Pick<QueueRow, "photo" | "problems">} row */
export function rejectionText({ photo, problems }) {
  return problems.map(({ code, message }) => (photo && TEXT_WHEN_SENT[code]?.()) || message).join(" ");
}
