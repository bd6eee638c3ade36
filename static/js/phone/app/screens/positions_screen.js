// The stored locations of the engineer and their retention. Fetched from the server; nothing of it is stored on the
// phone.

import { h, icon } from "../dom.js";
import { render } from "../router.js";
import { Unreachable, request } from "../api_client.js";
import { TapRefused, createOnSlowTap, problemsAt } from "../actions.js";
import { _ } from "../i18n.js";
import { problemSummary, timestamp, section, pageTitle } from "./components.js";

const onSlowTap = createOnSlowTap();
const ADDRESS = "/phone/positions.json";
const FRESH_MS = 20_000;
/** @type {StoredPositions | null} */
let known = null;
let askedAt = -Infinity;

/** @param {ScreenContext} context @returns {PhoneScreen} */
export function positionsScreen({ refresh }) {
  refreshPositions();
  return {
    name: "positions",
    title: pageTitle(_("My locations")),
    body: [
      problemSummary(problemsAt(location.pathname)),
      h("p.phone-context", {}, h("a.phone-back", { href: "/phone/me/" }, icon("chevron-left"), " ", _("Back"))),
      h("h1", {}, _("My locations")),
      h("p", {}, _("Your location is stored with the job at “On my way” and “I'm on site”, and with each photo.")),
      known ? positionParts(known, refresh) : h("p.phone-empty", {}, icon("wifi-off"), " ", h("span", {}, _("Stored data is shown when there is signal."))),
    ],
  };
}

// The page is shown at once; what the server sends is added when it comes.
function refreshPositions() {
  if (performance.now() - askedAt < FRESH_MS) return;
  askedAt = performance.now();
  fetchPositions().catch(() => {});
}

async function fetchPositions() {
  const answer = await request(ADDRESS);
  if (!answer.ok) return;
  known = await answer.json();
  await render();
}

// The engineer's own choice; taking it back deletes what was kept of the way. Raises TapRefused where the server has not
// confirmed it.
/** @param {boolean} agreed @param {() => Promise<void>} refresh */
async function setConsent(agreed, refresh) {
  known = await sendConsent(agreed);
  await render();
  // the day says whether the way is kept: not only at its next round
  await refresh().catch(() => {});
}

/** @param {boolean} agreed @returns {Promise<StoredPositions>} */
async function sendConsent(agreed) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ agreed }) };
  try {
    const answer = await request(ADDRESS, options);
    if (answer.ok) return await answer.json();
  } catch (problem) {
    if (!(problem instanceof Unreachable)) throw problem;
    throw new TapRefused(_("You need signal to change this. Try again when there is signal."));
  }
  throw new TapRefused(_("The server did not accept this, so nothing has changed. Reload the page and try again."));
}

/** @param {boolean} agreed @param {() => Promise<void>} refresh */
function consentButton(agreed, refresh) {
  const label = agreed ? _("Stop sharing and delete stored locations") : _("Share my approximate location while I drive");
  // another id, another element: one that stays in the page would keep what it did before
  const id = agreed ? "stop-sharing" : "start-sharing";
  return h("button.phone-button", { type: "button", id, onclick: onSlowTap(() => setConsent(!agreed, refresh)) }, icon("map-pin"), " ", label);
}

/** @param {StoredPositions} stored @param {() => Promise<void>} refresh */
function positionParts({ words: paragraphs = [], positions = [], agreed = false }, refresh) {
  /** @param {StoredPositions["positions"][number]} position */
  const line = ({ at, words: what }) => h("li", {}, h("b", {}, timestamp(at)), h("br"), what);
  return [
    paragraphs.map((sentence) => h("p", {}, sentence)),
    consentButton(agreed, refresh),
    section("positions-title", _("Stored now"), positions.length ? h("ol.plain-list.phone-lines", {}, positions.map(line)) : h("p.muted", {}, _("None."))),
  ];
}
