// One line that always says where things stand; never a pop-up, never silent.

import { h, icon } from "./dom.js";
import { _, plural } from "./i18n.js";
import * as drafts from "./drafts.js";
import * as queue from "./queue.js";
import { lowWords, room } from "./storage_quota.js";
import { connection, session } from "./api_client.js";

let last = [];

export function showStanding(standing, rows = null) {
  if (rows) last = rows;
  else queue.rows().then((found) => showStanding(standing, found));
  const line = document.querySelector("[data-status]");
  if (!line || !rows) return;
  const { tone, sign, text, to = { href: "/phone/queue/" } } = words(standing, last);
  line.dataset.tone = tone;
  line.replaceChildren(h("a", to, icon(sign), " ", h("span", {}, text)), bar(standing));
}

// Signing in comes back to this very page, whichever of its steps is missing.
export function signInLink() {
  return { href: `${session.address}?next=${encodeURIComponent(location.pathname + location.search)}`, "data-outside": true };
}

function bar({ photo }) {
  if (!photo) return "";
  return h("progress", { max: 1, value: photo.part, "aria-label": _("Sending the photo") });
}

function words(standing, rows) {
  const here = queue.waiting(rows).length;
  const cards = queue.refused(rows).length;
  const count = plural("%(number)s only on this phone", "%(number)s only on this phone", here);
  if (session.ended) return { tone: "alarm", sign: "lock", text: signedOut(here, count), to: signInLink() };
  if (cards) return { tone: "alarm", sign: "warning", text: plural("%(number)s problem", "%(number)s problems", cards) };
  if (drafts.standing.isLost) return { tone: "alarm", sign: "warning", text: _("This phone is full: what you type now is not kept until you go on. Make room.") };
  if (room.low) return { tone: "warning", sign: "warning", text: here ? `${count}. ${lowWords()}` : lowWords() };
  if (!here && isOffline()) return { tone: "warning", sign: "wifi-off", text: _("Offline. All sent") };
  if (!here) return { tone: "good", sign: "check", text: _("All sent") };
  if (standing.word === "sending") return { tone: "calm", sign: "send", text: `${count} · ${_("sending")}` };
  return { tone: "warning", sign: "wifi-off", text: `${count} · ${_("sent by itself")}` };
}

const isOffline = () => navigator.onLine === false || connection.lost;

function signedOut(here, count) {
  return here ? `${count}. ${_("Sign in to send; nothing is lost.")}` : _("Sign in to hear from the office; nothing is lost.");
}
