// Me: the engineer, appearance, storage space, installation, and signing out.

import { h, icon } from "../dom.js";
import { canInstall, install, isIPhone, isInstalled } from "../install_prompt.js";
import { listUnsent } from "../data_retention.js";
import { runningCheckInSection, runningTimer } from "../lone_worker.js";
import { NotSignedOut, signOut } from "../sign_out.js";
import { measureStorage, lowStorageText, photoCountText, formatSize } from "../storage_quota.js";
import { navigateFrom, render } from "../router.js";
import { createOnSlowTap, problemsAt, TapRefused } from "../actions.js";
import { _, fill, plural } from "../i18n.js";
import { factList, otherEngineersNotices, problemSummary, section, pageTitle } from "./components.js";
import { describeWork } from "./unfinished_section.js";
import { languageSection } from "./language_section.js";
import { pushSection } from "./push_section.js";

const onSlowTap = createOnSlowTap();

/** @param {ScreenContext} context */
export async function meScreen(context) {
  const { day, refresh } = context;
  return {
    name: "me",
    title: pageTitle(_("Me")),
    body: [
      h("p.phone-context", {}, h("a.phone-back", { href: "/phone/" }, icon("chevron-left"), " ", _("My day"))),
      problemSummary(problemsAt("/phone/me/")),
      h("h1", {}, day.name),
      h("p.muted", {}, fill(_("Engineer %(engineer)s"), day)),
      await otherEngineersNotices(day.engineer),
      section("language-title", _("Language"), languageSection(day, refresh)),
      pushSection(),
      section("look-title", _("Appearance"), themes(), largeType()),
      section("room-title", _("Space on this phone"), ...storageParts(await measureStorage())),
      section("home-title", _("Home screen"), ...homeScreenParts()),
      section("kept-title", _("Stored data"), h("a.phone-button", { href: "/phone/me/positions/" }, icon("map-pin"), " ", _("My locations"))),
      h("p", {}, h("a.phone-button", { href: "/phone/queue/" }, icon("list"), " ", _("Sent and waiting"))),
      passwordLink(),
      navigator.onLine ? h("p", {}, h("button.phone-button", { id: "sign-out", type: "button", onclick: onSlowTap(() => confirmSignOut(context)) }, icon("log-out"), " ", _("Sign out"))) : needsSignal(_("You need signal to sign out.")),
      h("p.muted", {}, `${_("Version")} `, h("span.code", {}, document.body.dataset.version)),
    ],
  };
}

// --- how it looks: kept on the phone, put on <html> by theme.js ---

// Not one tap at a time: a setting that is changed while the page is drawn for another one would be lost.
/** @param {string} key @param {string} value */
function settingHandler(key, value) {
  return async (/** @type {EventOn<HTMLInputElement>} */ event) => {
    const wanted = event.target.checked ? value : "";
    if (wanted) localStorage.setItem(key, wanted);
    else localStorage.removeItem(key);
    dispatchEvent(new Event("look"));
    await render();
  };
}

function themes() {
  const now = localStorage.getItem("phone.theme") ?? "";
  const choices = { "": _("Same as phone"), light: _("Light"), dark: _("Dark") };
  /** @param {[value: string, words: string]} choice */
  const radio = ([value, label]) => {
    const box = { id: `theme-${value || "auto"}`, type: "radio", name: "theme", value, checked: value === now, onchange: settingHandler("phone.theme", value) };
    return h("label.phone-check", { for: box.id }, h("input", box), " ", label);
  };
  return h("fieldset", {}, h("legend", {}, _("Colours")), Object.entries(choices).map(radio));
}

function largeType() {
  const isLarge = localStorage.getItem("phone.type") === "large";
  const box = { id: "large-type", type: "checkbox", role: "switch", checked: isLarge, onchange: settingHandler("phone.type", "large") };
  return h("label.phone-check", { for: "large-type" }, h("input", box), " ", _("Large text"));
}

// --- room ---

/** @param {PhoneStorage} storage */
function storageParts({ left, low, persisted }) {
  const value = left === null ? _("Enough. You will be warned before it runs out.") : `${formatSize(left)}, ${photoCountText(left)}`;
  const list = low && left === null ? [] : [{ name: _("Free for this app"), value }];
  const storage = persisted
    ? _("The browser keeps your work until it has been sent.")
    : _("The browser may delete unsent work when the phone is full. Add the app to the home screen to prevent this.");
  return [factList(list), low && h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, lowStorageText())), h("p", { "data-persisted": String(persisted) }, storage)];
}

// --- the home screen ---

function homeScreenParts() {
  if (isInstalled()) return [h("p", {}, icon("check"), " ", _("The app is on your home screen."))];
  if (canInstall()) return [h("button.phone-button", { id: "install", type: "button", onclick: onSlowTap(() => install().then(() => render())) }, icon("house"), " ", _("Add to home screen"))];
  if (isIPhone()) return [steps(_("Open this page in Safari."), _("Tap Share, the square with the arrow up."), _("Tap Add to Home Screen, then Add."))];
  return [steps(_("Open the browser's menu, the three dots."), _("Tap Add to home screen or Install app."))];
}

/** @param {...string} lines */
const steps = (...lines) => h("ol.phone-steps", {}, lines.map((step) => h("li", {}, step)));

// --- the password and signing out ---

/** @param {string} text */
const needsSignal = (text) => h("p.notice.notice-calm", { "data-needs-signal": true }, icon("wifi-off"), " ", h("span", {}, text));

// A page of the server, not of this application: without signal the browser would show its own error.
export function passwordLink() {
  if (!navigator.onLine) return needsSignal(_("You need signal to change your password."));
  return h("p", {}, h("a.phone-button", { href: "/password/" }, icon("lock"), " ", _("Change password")));
}

/** @param {ScreenContext} context */
async function confirmSignOut({ day, rows }) {
  const { entries, begun } = await listUnsent();
  if (entries || begun.length || runningTimer(day, rows)) await navigateFrom("/phone/me/", "/phone/me/leave/");
  else await endSession(day);
}

/** @param {Day} day */
async function endSession(day) {
  try {
    await signOut(day.engineer);
  } catch (problem) {
    if (!(problem instanceof NotSignedOut)) throw problem;
    throw new TapRefused(_("You need signal to sign out. You are still signed in and nothing has changed."));
  }
}

// Some work is only on this phone, or the office waits for a check-in: a warning before signing out.
/** @param {ScreenContext} context */
export async function leaveScreen(context) {
  const { day, unfinished } = context;
  const left = await listUnsent();
  const texts = unsentTexts(left, unfinished);
  return {
    name: "leave",
    title: pageTitle(_("Sign out")),
    body: [
      h("p.phone-context", {}, h("a.phone-back", { href: "/phone/me/" }, icon("chevron-left"), " ", _("Back"))),
      problemSummary(problemsAt("/phone/me/leave/")),
      h("h1", {}, _("Sign out?")),
      runningCheckInSection(context),
      texts.map((text) => h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, text))),
      unfinished.length > 0 && h("ul.plain-list.phone-lines", {}, unfinished.map((work) => workLine(work, day))),
      !texts.length && h("p", {}, _("All sent. The office has all your work.")),
      navigator.onLine ? h("p", {}, leaveButton(day, left)) : needsSignal(_("You need signal to sign out.")),
      backLink(left, unfinished),
    ],
  };
}

/** @param {BegunWork} work @param {Day} day */
function workLine(work, day) {
  const { title, text, premises } = describeWork(work, day);
  return h("li", {}, h("b", {}, title), h("br"), text, text && h("br"), h("span.muted", {}, premises));
}

/** @param {Unsent} left @param {BegunWork[]} unfinished */
function unsentTexts({ entries, begun }, unfinished) {
  const here = begun.length - unfinished.length;
  const sent = plural(
    "%(number)s of your updates is waiting to send. If you sign out, it can only be sent once you sign in on this phone again.",
    "%(number)s of your updates are waiting to send. If you sign out, they can only be sent once you sign in on this phone again.",
    entries,
  );
  const finished = plural(
    "You have %(number)s unfinished answer: text not saved yet, or a photo not kept yet. It stays on this phone until you sign in here again.",
    "You have %(number)s unfinished answers: text not saved yet, or photos not kept yet. They stay on this phone until you sign in here again.",
    here,
  );
  const elsewhere = plural(
    "%(number)s unfinished answer or photo is for a job that you can't work on now. Only this phone has it. Look at it under “Sent and waiting” first, or find it there when you sign in here again.",
    "%(number)s unfinished answers or photos are for jobs that you can't work on now. Only this phone has them. Look at them under “Sent and waiting” first, or find them there when you sign in here again.",
    unfinished.length,
  );
  return /** @type {string[]} */ ([entries && sent, here > 0 && finished, unfinished.length && elsewhere].filter(Boolean));
}

/** @param {Day} day @param {Unsent} left */
function leaveButton(day, { entries, begun }) {
  const number = entries + begun.length;
  const keeping = plural("Sign out and keep it here", "Sign out and keep them here", number);
  return h("button.phone-button.phone-button-alarm", { id: "leave", type: "button", onclick: onSlowTap(() => endSession(day)) }, number ? keeping : _("Sign out"));
}

// To what is only here; what no page leads to is listed with the queue.
/** @param {Unsent} left @param {BegunWork[]} unfinished */
function backLink({ entries, begun }, unfinished) {
  if (entries) return h("div.phone-action", {}, h("a.main-button", { href: "/phone/queue/" }, _("Send them first")));
  const address = begun.find((page) => !unfinished.some((work) => work.address === page));
  if (address) return h("div.phone-action", {}, h("a.main-button", { href: address }, _("Finish it first")));
  return unfinished.length > 0 && h("div.phone-action", {}, h("a.main-button", { href: "/phone/queue/" }, _("Look at it first")));
}
