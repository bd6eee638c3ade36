// "Save a rescue file": when the phone cannot send and will not, the office reads everything from a file.

import { h, icon } from "../dom.js";
import { canShare, rescueFile, save } from "../offline_export.js";
import { SAFE } from "../queue.js";
import { show } from "../router.js";
import { once } from "../actions.js";
import { _, fill } from "../i18n.js";
import { section } from "./components.js";

let last = null;

export function rescueSection(day, rows) {
  const left = rows.filter(({ state }) => state !== SAFE).length;
  if (!left && !last) return "";
  const words = _("If this phone breaks or cannot send: save everything that is only here in one file and give it to the office. Nothing is sent twice when the phone sends it later after all.");
  const button = h("button.phone-button", { id: "rescue", type: "button", onclick: once(() => make(day)) }, icon("inbox"), " ", _("Save a rescue file"));
  return section("rescue-title", _("Rescue file"), h("p", {}, words), left > 0 && button, saved());
}

async function make(day) {
  last = await rescueFile(day, document.body.dataset.version);
  save(last);
  await show();
}

function saved() {
  if (!last) return "";
  const words = fill(_("Saved as %(name)s. The office reads it under Messages, Rescue file."), last);
  const share = h("button.phone-button", { id: "rescue-share", type: "button", onclick: once(hand) }, icon("send"), " ", _("Send the file to the office"));
  return h("div.phone-ways", {}, h("p.phone-answered", { role: "status" }, icon("check"), " ", h("span", {}, words)), canShare(last) && share);
}

// Who closes the phone's own list of ways has changed their mind: that is no fault.
async function hand() {
  await navigator.share({ files: [last], title: last.name }).catch((problem) => {
    if (problem.name !== "AbortError") throw problem;
  });
}
