// The engineer's language: stored on the server, and on this phone for when nobody is signed in. It takes effect like a
// new version (app_update.js): with the next page, once everything has been sent.

import { h, icon } from "../dom.js";
import { navigateFrom } from "../router.js";
import { Unreachable, request } from "../api_client.js";
import { createOnSlowTap, TapRefused } from "../actions.js";
import { _, fill } from "../i18n.js";

const onSlowTap = createOnSlowTap();
const ADDRESS = "/phone/me/";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** @param {Day} day @param {() => Promise<void>} refresh */
export function languageSection({ language, languages = [] }, refresh) {
  const now = document.documentElement.lang;
  /** @param {{ code: string, name: string }} language */
  const radio = ({ code, name }) => {
    const box = { id: `language-${code}`, type: "radio", name: "language", value: code, checked: code === language, onchange: onSlowTap(() => chooseLanguage(code, refresh)) };
    return h("label.phone-check", { for: box.id, lang: code }, h("input", box), " ", name);
  };
  const coming = language !== now && languages.find(({ code }) => code === language);
  return [
    h("fieldset", {}, h("legend.visually-hidden", {}, _("Language")), languages.map(radio)),
    coming && h("p.notice.notice-calm", { role: "status" }, icon("clock"), " ", h("span", {}, fill(_("%(name)s will be used from the next page, once everything has been sent."), coming))),
  ];
}

/** @param {string} language @param {() => Promise<void>} refresh */
async function chooseLanguage(language, refresh) {
  try {
    await request("/language/", { method: "POST", headers: FORM, body: new URLSearchParams({ language }) });
    // the first may have been asked for before
    await refresh();
    await refresh();
  } catch (problem) {
    if (!(problem instanceof Unreachable)) throw problem;
    throw new TapRefused(_("You need signal to change the language. Nothing has changed."));
  }
  // this page counts as the next one
  await navigateFrom(ADDRESS, ADDRESS);
}
