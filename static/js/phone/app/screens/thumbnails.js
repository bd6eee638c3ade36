// Thumbnails of photos: from this phone while the bytes are here, afterwards from the server.

import { h, icon } from "../dom.js";
import { rejectionText } from "../camera/photo_rejections.js";
import { getPhoto } from "../queue.js";
import { _, fill } from "../i18n.js";
import { SYNCED } from "../queue_states.js";

// one address for each picture, so that a page drawn again is the same page
const addresses = new Map();

// "" where there is none to show.
export async function thumbnailUrl(job, id) {
  const kept = addresses.has(id) || job.photos?.[id]?.row ? await addressOf(id) : "";
  return kept || (job.photos?.[id]?.url ?? "");
}

async function addressOf(id) {
  if (addresses.has(id)) return addresses.get(id);
  const kept = await getPhoto(id);
  if (!kept) return "";
  addresses.set(id, URL.createObjectURL(new Blob([kept.small ?? kept.bytes], { type: "image/jpeg" })));
  return addresses.get(id);
}

// Each with a word for where it is: only here, or sent. `more(id)` may stand below it.
/** @param {any} job @param {string[]} ids @param {string} text @param {(id: string) => any} [more] */
export async function thumbnailList(job, ids, text, more = () => "") {
  const urls = await Promise.all(ids.map((id) => thumbnailUrl(job, id)));
  return h("div.phone-previews", {}, ids.map((id, at) => thumbnail(job, id, urls[at], fill(_("%(text)s, photo %(number)s"), { text, number: at + 1 }), more(id))));
}

// Those that were refused, rows of the queue: each with the reason. `more(row)` may stand below it.
export async function refusedThumbnails(rows, text, more) {
  const urls = await Promise.all(rows.map((row) => addressOf(row.photo)));
  const reason = (row) => h("span.badge.badge-alarm", {}, icon("warning"), " ", rejectionText(row));
  return h("div.phone-previews", {}, rows.map((row, at) => figure(urls[at], fill(_("%(text)s, refused"), { text }), reason(row), more(row))));
}

function thumbnail(job, id, url, words, more) {
  return figure(url, words, uploadBadge(job, id), more);
}

function figure(url, words, caption, more) {
  return h("figure.phone-preview", {}, url ? h("img", { src: url, alt: words, onerror: showPlaceholder }) : placeholder(words), h("figcaption", {}, caption), more);
}

const placeholder = (words) => h("span.phone-no-picture", { role: "img", "aria-label": words }, icon("image"));

// no signal, and the bytes are with the server
function showPlaceholder({ target }) {
  target.replaceWith(placeholder(target.alt));
}

function uploadBadge(job, id) {
  const photo = job.photos?.[id];
  const isSafe = photo?.stored || photo?.row?.state === SYNCED;
  if (isSafe) return h("span.badge.badge-good", {}, icon("check"), " ", _("sent"));
  if (photo?.row) return h("span.badge.badge-warning", {}, icon("wifi-off"), " ", _("waiting to send"));
  return h("span.badge.badge-warning", {}, icon("clock"), " ", _("Not sent yet"));
}
