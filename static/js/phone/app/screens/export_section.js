// Saves an offline export for the office to import when the phone cannot send.

import { h, icon } from "../dom.js";
import { canShare, buildExportFile, downloadFile } from "../offline_export.js";
import { SYNCED } from "../queue.js";
import { render } from "../router.js";
import { createOnSlowTap } from "../actions.js";
import { _, fill } from "../i18n.js";
import { section } from "./components.js";

// the phone's own list of ways to share is open for as long as somebody looks at it
const onSave = createOnSlowTap(), onSend = createOnSlowTap();
/** @type {File | null} */
let lastFile = null;

/** @param {PhoneOwner} day @param {QueueRow[]} rows */
export function exportSection(day, rows) {
  const left = rows.filter(({ state }) => state !== SYNCED).length;
  if (!left && !lastFile) return "";
  const text = _("If this phone breaks or can't send, save all unsent work to one file and give it to the office. If the phone sends it later as well, nothing is duplicated.");
  const button = h("button.phone-button", { id: "export", type: "button", onclick: onSave(() => createExport(day)) }, icon("inbox"), " ", _("Save export file"));
  return section("export-title", _("Offline export"), h("p", {}, text), left > 0 && button, savedNotice());
}

/** @param {PhoneOwner} day */
async function createExport(day) {
  lastFile = await buildExportFile(day, document.body.dataset.version);
  downloadFile(lastFile);
  await render();
}

function savedNotice() {
  const file = lastFile;
  if (!file) return "";
  const text = fill(_("Saved as %(name)s. The office can import it under Messages."), file);
  const share = h("button.phone-button", { id: "export-share", type: "button", onclick: onSend(() => shareFile(file)) }, icon("send"), " ", _("Send the file to the office"));
  return h("div.phone-more-actions", {}, h("p.phone-answered", { role: "status" }, icon("check"), " ", h("span", {}, text)), canShare(file) && share);
}

// Who closes the phone's own list of ways has changed their mind: that is no fault.
/** @param {File} file */
async function shareFile(file) {
  await navigator.share({ files: [file], title: file.name }).catch((problem) => {
    if (problem.name !== "AbortError") throw problem;
  });
}
