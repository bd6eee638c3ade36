// Saves an offline export for the office to import when the phone cannot send.

import { h, icon } from "../dom.js";
import { canShare, buildExportFile, downloadFile } from "../offline_export.js";
import { SYNCED } from "../queue.js";
import { render } from "../router.js";
import { onTap } from "../actions.js";
import { _, fill } from "../i18n.js";
import { section } from "./components.js";

let lastFile = null;

export function exportSection(day, rows) {
  const left = rows.filter(({ state }) => state !== SYNCED).length;
  if (!left && !lastFile) return "";
  const words = _("If this phone breaks or cannot send, save all unsent work to one file and give it to the office. If the phone sends it later as well, nothing is duplicated.");
  const button = h("button.phone-button", { id: "export", type: "button", onclick: onTap(() => createExport(day)) }, icon("inbox"), " ", _("Save export file"));
  return section("export-title", _("Offline export"), h("p", {}, words), left > 0 && button, savedNotice());
}

async function createExport(day) {
  lastFile = await buildExportFile(day, document.body.dataset.version);
  downloadFile(lastFile);
  await render();
}

function savedNotice() {
  if (!lastFile) return "";
  const words = fill(_("Saved as %(name)s. The office can import it under Messages."), lastFile);
  const share = h("button.phone-button", { id: "export-share", type: "button", onclick: onTap(shareFile) }, icon("send"), " ", _("Send the file to the office"));
  return h("div.phone-more-actions", {}, h("p.phone-answered", { role: "status" }, icon("check"), " ", h("span", {}, words)), canShare(lastFile) && share);
}

// Who closes the phone's own list of ways has changed their mind: that is no fault.
async function shareFile() {
  await navigator.share({ files: [lastFile], title: lastFile.name }).catch((problem) => {
    if (problem.name !== "AbortError") throw problem;
  });
}
