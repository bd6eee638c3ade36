// Notices by web push: whether this phone has them, and one tap to have them or not.

import { h, icon } from "../dom.js";
import { isIPhone, isInstalled } from "../install_prompt.js";
import * as push from "../push_subscription.js";
import { render } from "../router.js";
import { onTap, showProblems } from "../actions.js";
import { _ } from "../i18n.js";
import { section } from "./components.js";

const FRESH_MS = 20_000;
let known = null;
let askedAt = -Infinity;

export function pushSection() {
  refreshStatus();
  const words = isIPhone() && !isInstalled() ? h("p", {}, _("On an iPhone notices come once the application is on the home screen.")) : subscriptionParts();
  return words && section("notices-title", _("Notices"), words);
}

// The page stands at once; whether the server has notices is put in when it tells.
function refreshStatus() {
  if (performance.now() - askedAt < FRESH_MS) return;
  askedAt = performance.now();
  loadStatus().catch(() => {});
}

async function loadStatus() {
  known = { isPossible: await push.isPossible(), isOn: await push.isSubscribed() };
  await render();
}

function subscriptionParts() {
  if (!known?.isPossible) return "";
  const words = known.isOn
    ? _("This phone tells you of a new, changed or cancelled job, also when the application is closed.")
    : _("This phone can tell you of a new, changed or cancelled job, also when the application is closed.");
  const button = known.isOn ? [icon("x"), " ", _("No notices any more")] : [icon("inbox"), " ", _("Tell me of changes")];
  return [h("p", {}, words), h("button.phone-button", { id: "notices", type: "button", onclick: onTap(known.isOn ? turnOff : turnOn) }, button)];
}

async function turnOn() {
  const isTaken = await push.subscribe().catch(() => false);
  await loadStatus();
  if (!isTaken) await showProblems([{ message: _("This phone does not allow notices now. Allow them in the browser's settings, with signal, and try again.") }]);
}

async function turnOff() {
  await push.unsubscribe();
  await loadStatus();
}
