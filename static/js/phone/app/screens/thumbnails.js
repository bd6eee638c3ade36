// Thumbnails of photos: from this phone while the bytes are here, afterwards from the server.

import { h, icon } from "../dom.js";
import { rejectionText } from "../camera/photo_rejections.js";
import { getPhoto } from "../queue.js";
import { _, fill } from "../i18n.js";
import { SYNCED } from "../queue_states.js";

// one address for each picture, so that a page drawn again is the same page
/** @type {Map<string, string>} */
const addresses = new Map();

// "" where there is none to show.
/** @param {Job} job @param {string} id @returns {Promise<string>} */
export async function thumbnailUrl(job, id) {
  const url = addresses.has(id) || job.photos?.[id]?.row ? await addressOf(id) : "";
  return url || (job.photos?.[id]?.url ?? "");
}

/** @param {string} id @returns {Promise<string>} */
async function addressOf(id) {
  const known = addresses.get(id);
  if (known) return known;
  const stored = await getPhoto(id);
  if (!stored) return "";
  const address = URL.createObjectURL(new Blob([stored.bytes], { type: "image/jpeg" }));
  addresses.set(id, address);
  return address;
}

// Each with a label for where it is: only here, or sent. `more(id)` may add something below it.
/** @param {Job} job @param {string[]} ids @param {string} text @param {(id: string) => NestedChild} [more] */
export async function thumbnailList(job, ids, text, more = () => "") {
  const urls = await Promise.all(ids.map((id) => thumbnailUrl(job, id)));
  return h("div.phone-previews", {}, ids.map((id, at) => thumbnail(job, id, urls[at], fill(_("%(text)s, photo %(number)s"), { text, number: at + 1 }), more(id))));
}

// Those that were refused, rows of the queue: each with the reason. `more(row)` may stand below it.
/** @param {QueueRow[]} rows @param {string} text @param {(row: QueueRow) => NestedChild} more */
export async function refusedThumbnails(rows, text, more) {
  const urls = await Promise.all(rows.map((row) => addressOf(row.photo ?? "")));
  /** @param {QueueRow} row */
  const reason = (row) => h("span.badge.badge-alarm", {}, icon("warning"), " ", rejectionText(row));
  return h("div.phone-previews", {}, rows.map((row, at) => figure(urls[at], fill(_("%(text)s, refused"), { text }), reason(row), more(row))));
}

/** @param {Job} job @param {string} id @param {string} url @param {string} label @param {NestedChild} more */
function thumbnail(job, id, url, label, more) {
  return figure(url, label, uploadBadge(job, id), more);
}

/** @param {string} url @param {string} label @param {NestedChild} caption @param {NestedChild} more */
function figure(url, label, caption, more) {
  return h("figure.phone-preview", {}, url ? h("img", { src: url, alt: label, onerror: showPlaceholder }) : placeholder(label), h("figcaption", {}, caption), more);
}

/** @param {string} label */
const placeholder = (label) => h("span.phone-no-picture", { role: "img", "aria-label": label }, icon("image"));

// no signal, and the bytes are with the server
/** @param {EventOn<HTMLImageElement>} event */
function showPlaceholder({ target }) {
  target.replaceWith(placeholder(target.alt));
}

/** @param {Job} job @param {string} id */
function uploadBadge(job, id) {
  const photo = job.photos?.[id];
  const isSafe = photo?.stored || photo?.row?.state === SYNCED;
  if (isSafe) return h("span.badge.badge-good", {}, icon("check"), " ", _("sent"));
  if (photo?.row) return h("span.badge.badge-warning", {}, icon("wifi-off"), " ", _("waiting to send"));
  return h("span.badge.badge-warning", {}, icon("clock"), " ", _("Not sent yet"));
}
