// A first click may come before the panel's own script is there: then the browser sends the form and loads a page, and a
// second click must not send it once more without one.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

const posted = [];

mock.timers.enable({ apis: ["setTimeout"] });

globalThis.HTMLFormElement = class {
  method = "post";
  matches() {
    return true;
  }
};
globalThis.window = new EventTarget();
globalThis.document = Object.assign(new EventTarget(), { querySelector: () => null, getElementById: () => ({ dataset: {} }) });
globalThis.fetch = async (url) => {
  posted.push(url);
  return new Response('{"ok": true}');
};
const doubleSubmit = await import("../../static/js/board/forms/double_submit.js");
const panelForms = await import("../../static/js/board/day/panel_forms.js");

// As the browser does it: the document first, then the window. Whether the browser itself would send the form.
function submit(form) {
  const state = { defaultPrevented: false };
  for (const target of [document, window]) {
    const event = new Event("submit", { cancelable: true });
    Object.defineProperties(event, { target: { value: form }, defaultPrevented: { get: () => state.defaultPrevented } });
    event.preventDefault = () => {
      state.defaultPrevented = true;
    };
    target.dispatchEvent(event);
  }
  return !state.defaultPrevented;
}

test("a form that the browser sends is not sent by the panel's script", () => {
  const form = new HTMLFormElement();
  doubleSubmit.start();
  assert.equal(submit(form), true);

  panelForms.start();
  assert.equal(submit(form), false);
  assert.deepEqual(posted, []);
});
