// Nobody is signed in on this phone any more: no job is shown. What was not sent is here, and that is said.

import { h, icon } from "../dom.js";
import { LOGIN, session } from "../server.js";
import { signInLink } from "../status.js";
import { _, plural } from "../words.js";
import { title } from "./parts.js";

// `owner`: {engineer, name, export_key} of whoever worked here.
export async function lockedScreen({ owner, rows }) {
  const { name } = owner;
  const isBegun = session.address !== LOGIN;
  const left = rows.filter(({ state }) => state !== "safe");
  const words = plural(
    "%(number)s entry is only on this phone. Nothing is lost: it is sent when %(name)s signs in.",
    "%(number)s entries are only on this phone. Nothing is lost: they are sent when %(name)s signs in.",
    left.length,
    { name },
  );
  return {
    name: "locked",
    title: title(_("Sign in")),
    body: [
      h("h1", {}, isBegun ? _("Finish signing in") : _("Sign in to see your jobs")),
      h("p", {}, isBegun ? _("One step is missing: a password of your own, or a code.") : _("Your session has ended.")),
      left.length > 0 && h("p.notice.notice-warning", {}, icon("lock"), " ", h("span", {}, words)),
      left.length > 0 && (await import("./beside.js")).rescueSection(owner, rows),
      h("div.phone-action", {}, h("a.main-button", signInLink(), isBegun ? _("Continue") : _("Sign in"))),
    ],
  };
}
