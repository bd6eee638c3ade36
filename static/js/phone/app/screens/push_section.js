// Notices by web push: whether this phone has them, and one tap to have them or not.

import { h, icon } from "../dom.js";
import { isIPhone, isInstalled } from "../install_prompt.js";
import * as push from "../push_subscription.js";
import { show } from "../router.js";
import { once, refuse } from "../actions.js";
import { _ } from "../i18n.js";
import { section } from "./components.js";

const FRESH_MS = 20_000;
let known = null;
let askedAt = -Infinity;

export function noticesPart() {
  lookAgain();
  const words = isIPhone() && !isInstalled() ? h("p", {}, _("On an iPhone notices come once the application is on the home screen.")) : offered();
  return words && section("notices-title", _("Notices"), words);
}

// The page stands at once; whether the server has notices is put in when it tells.
function lookAgain() {
  if (performance.now() - askedAt < FRESH_MS) return;
  askedAt = performance.now();
  look().catch(() => {});
}

async function look() {
  known = { isPossible: await push.isPossible(), isOn: await push.isSubscribed() };
  await show();
}

function offered() {
  if (!known?.isPossible) return "";
  const words = known.isOn
    ? _("This phone tells you of a new, changed or cancelled job, also when the application is closed.")
    : _("This phone can tell you of a new, changed or cancelled job, also when the application is closed.");
  const button = known.isOn ? [icon("x"), " ", _("No notices any more")] : [icon("inbox"), " ", _("Tell me of changes")];
  return [h("p", {}, words), h("button.phone-button", { id: "notices", type: "button", onclick: once(known.isOn ? off : on) }, button)];
}

async function on() {
  const isTaken = await push.subscribe().catch(() => false);
  await look();
  if (!isTaken) await refuse([{ message: _("This phone does not allow notices now. Allow them in the browser's settings, with signal, and try again.") }]);
}

async function off() {
  await push.unsubscribe();
  await look();
}
