// The screens of a phone on which nobody is signed in: no job is shown.

import { h, icon } from "../dom.js";
import { LOGIN, session } from "../api_client.js";
import { signInLink } from "../status_line.js";
import { _, plural } from "../i18n.js";
import { pageTitle } from "./components.js";
import { SYNCED } from "../queue_states.js";

// The session ended. Unsent work is still here, and the page says so. `owner` is whoever worked here.
/** @param {{ owner: PhoneOwner, rows: QueueRow[] }} locked @returns {Promise<PhoneScreen>} */
export async function lockedScreen({ owner, rows }) {
  const { name } = owner;
  const isBegun = session.address !== LOGIN;
  const left = rows.filter(({ state }) => state !== SYNCED);
  const text = plural(
    "%(number)s update is waiting to send. It will be sent when %(name)s signs in.",
    "%(number)s updates are waiting to send. They will be sent when %(name)s signs in.",
    left.length,
    { name },
  );
  return {
    name: "locked",
    title: pageTitle(_("Sign in")),
    body: [
      h("h1", {}, isBegun ? _("Finish signing in") : _("Sign in to see your jobs")),
      h("p", {}, isBegun ? _("One step is missing: setting your password, or entering a code.") : _("Your session has ended.")),
      left.length > 0 && h("p.notice.notice-warning", {}, icon("lock"), " ", h("span", {}, text)),
      left.length > 0 && (await import("./lazy_screens.js")).exportSection(owner, rows),
      h("div.phone-action", {}, h("a.main-button", signInLink(), isBegun ? _("Continue") : _("Sign in"))),
    ],
  };
}

// The phone knows nobody yet.
/** @returns {PhoneScreen} */
export function firstSignInScreen() {
  return {
    name: "unknown",
    title: pageTitle(_("Sign in")),
    body: [
      h("h1", {}, _("Sign in where there is signal")),
      h("p.phone-empty", {}, icon("wifi-off"), " ", h("span", {}, _("Your jobs are not on this phone yet. Sign in once where there is signal; after that they work offline."))),
      h("div.phone-action", {}, h("a.main-button", { href: "/login/?next=/phone/", "data-full-load": true }, _("Sign in"))),
    ],
  };
}
