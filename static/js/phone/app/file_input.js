// The choice of a picture: a button to see, which is the label of the browser's own control.

import { h, icon } from "./dom.js";

// The control itself has the name: whoever listens hears it once, not again as the label's text.
/** @param {string} id @param {string} label @param {string} sign @param {Attributes} more */
export function fileInput(id, label, sign, more) {
  const input = h("input", { type: "file", id, accept: "image/*", "aria-label": label, ...more });
  return h("div.camera-file", {}, input, h("label.phone-button", { for: id, "aria-hidden": "true" }, icon(sign), " ", label));
}
