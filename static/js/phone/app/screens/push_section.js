// Turns notifications on this phone on and off.

import { h, icon } from "../dom.js";
import { isIPhone, isInstalled } from "../install_prompt.js";
import * as push from "../push_subscription.js";
import { render } from "../router.js";
import { createOnSlowTap, TapRefused } from "../actions.js";
import { _ } from "../i18n.js";
import { section } from "./components.js";

const onSlowTap = createOnSlowTap();
const FRESH_MS = 20_000;
/** @type {{ isPossible: boolean, isOn: boolean } | null} */
let known = null;
let askedAt = -Infinity;

export function pushSection() {
  refreshStatus();
  const text = isIPhone() && !isInstalled() ? h("p", {}, _("On an iPhone, notifications work once the app is on the home screen.")) : subscriptionParts();
  return text && section("notices-title", _("Notifications"), text);
}

// The page is shown at once; whether the server offers notifications is added when it answers.
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
  const text = known.isOn
    ? _("You are notified of new, changed or cancelled jobs, even when the app is closed.")
    : _("Get notified of new, changed or cancelled jobs, even when the app is closed.");
  const button = known.isOn ? [icon("x"), " ", _("Turn off notifications")] : [icon("inbox"), " ", _("Turn on notifications")];
  // another id, another element: one that stays in the page would keep what it did before
  const [id, toggle] = known.isOn ? ["notifications-off", turnOff] : ["notifications-on", turnOn];
  return [h("p", {}, text), h("button.phone-button", { id, type: "button", onclick: onSlowTap(toggle) }, button)];
}

async function turnOn() {
  const isTaken = await push.subscribe().catch(() => false);
  await loadStatus();
  if (!isTaken) throw new TapRefused(_("Notifications are blocked. Allow them in the browser's settings and try again when there is signal."));
}

async function turnOff() {
  await push.unsubscribe();
  await loadStatus();
}
