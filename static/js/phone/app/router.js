// Navigation inside the application: links are followed without leaving the page; Back and Forward work.

import { h } from "./dom.js";
import { updateDom } from "./dom_diff.js";

/** @type {(address: ScreenAddress) => Promise<PhoneScreen | null>} */
let draw = async () => null;
// sent to each part that looks after itself (`data-component`), whenever a page with it was drawn
export const MOUNTED = "mounted";
let drawings = 0;
let drawn = 0;
let moving = false;
let leaving = false;
/** @type {() => boolean | Promise<boolean>} */
let leavesPage = () => false;
// as long as browsers count two taps as one double tap
const SETTLING_MS = 400;
let settling = 0;

/** @param {(address: ScreenAddress) => Promise<PhoneScreen | null>} drawing */
export function startRouter(drawing) {
  draw = drawing;
  history.scrollRestoration = "manual";
  document.addEventListener("click", ignoreBounce, { capture: true });
  document.addEventListener("click", followLink);
  addEventListener("popstate", () => render({ moved: true }));
}

// `asked()` is true when the page to which somebody goes comes another way, and is not drawn here.
/** @param {() => boolean | Promise<boolean>} asked */
export function beforeNavigation(asked) {
  leavesPage = asked;
}

// A glove that bounces taps once: the second tap would fall on what took this button's place, on this page or the next.
// Boxes and fields may be tapped quickly; so may what goes one step with each tap (`data-repeatable`).
/** @param {MouseEvent} event */
function ignoreBounce(event) {
  const control = /** @type {Partial<Element>} */ (event.target).closest?.("button, a[href]");
  if (event.detail < 2 || !control || control.matches("[data-repeatable]")) return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {MouseEvent} event */
function followLink(event) {
  const link = /** @type {HTMLAnchorElement | null | undefined} */ (/** @type {Partial<Element>} */ (event.target).closest?.("a[href]"));
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !plain || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
  if (!link.pathname.startsWith("/phone/") || link.dataset.fullLoad !== undefined) return;
  event.preventDefault();
  if (link.getAttribute("href")?.startsWith("#")) /** @type {HTMLElement | null} */ (document.querySelector(link.hash))?.focus();
  else navigate(link.pathname + link.search);
}

/** @param {string} url @param {{ replace?: boolean }} [options] */
export function navigate(url, { replace = false } = {}) {
  if (replace || url === location.pathname + location.search) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  return render({ moved: true });
}

// After a tap at the page of `path`: whoever went elsewhere while it was at work is not taken away from there.
/** @param {string} path @param {string} url */
export const navigateFrom = async (path, url) => location.pathname === path && navigate(url);

// For a screen that is not for now: another one comes in its place, and Back does not find it again.
/** @param {string} url @returns {Promise<null>} */
export async function redirect(url) {
  await navigate(url, { replace: true });
  return null;
}

// Draws the page of the present address. `moved` false: the same page with updates; what did not change stays the same
// element, so that a draft, the focus and a finger on a button are not disturbed. `stays`: nobody goes anywhere, but the
// page begins at its top again, with what the last tap has left to mend. Kept when a page at least as new stands there.
/** @param {{ moved?: boolean, stays?: boolean }} [options] */
export async function render({ moved = false, stays = false } = {}) {
  moving ||= moved || stays;
  leaving ||= moved;
  if (leaving && (await leavesPage())) return;
  drawings += 1;
  const mine = drawings;
  const isMove = moving;
  const { pathname: path, search } = location;
  const screen = await draw({ path, search, moved: isMove });
  // a newer one is shown, or somebody navigated in the meantime
  if (!screen || mine < drawn || location.pathname !== path || location.search !== search) return;
  // the page that somebody goes to comes in a moment and replaces everything: nothing is started on this one
  if (moving && !isMove) return;
  drawn = mine;
  mountScreen(screen, isMove && moving);
  if (isMove) moving = leaving = false;
}

// Of the page that stands there; the browser's address changes a moment before.
export const mountedAddress = () => /** @type {HTMLElement | null | undefined} */ (globalThis.document?.querySelector("[data-address]"))?.dataset.address ?? "";

// Its buttons look as if they were off as long as a second tap may be a bounce.
/** @param {HTMLElement} main */
function markSettling(main) {
  clearTimeout(settling);
  main.classList.add("is-settling");
  settling = setTimeout(() => main.classList.remove("is-settling"), SETTLING_MS);
}

/** @param {PhoneScreen} screen @param {boolean} moved */
function mountScreen(screen, moved) {
  const main = /** @type {HTMLElement} */ (document.querySelector("#main"));
  const attributes = { "data-page": screen.name, "data-address": location.pathname + location.search };
  const page = h("div.phone-page", attributes, screen.body);
  // what takes the focus on arrival must not look changed at the next update
  for (const title of page.querySelectorAll("h1")) title.tabIndex = -1;
  document.title = screen.title;
  const focused = document.activeElement?.id;
  if (moved || !main.firstElementChild) main.replaceChildren(page);
  else updateDom(main.firstElementChild, page);
  screen.shown?.(main.firstElementChild);
  for (const part of main.querySelectorAll("[data-component]")) part.dispatchEvent(new Event(MOUNTED));
  if (moved) {
    focusPage(main);
    markSettling(main);
  }
  else if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
}

// A screen reader hears the new page, and a thumb begins at its top; a page that is there to be typed on is typed on.
/** @param {HTMLElement} main */
function focusPage(main) {
  scrollTo(0, 0);
  /** @type {HTMLElement} */
  const target = main.querySelector("[data-problems]:not([hidden])") ?? main.querySelector("[data-autofocus]") ?? main.querySelector("h1") ?? main;
  target.focus({ preventScroll: true });
}
