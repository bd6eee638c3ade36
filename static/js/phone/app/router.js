// Addresses inside the application: links are followed without leaving the page, Back and Forward work.

import { h } from "./dom.js";
import { renew } from "./renew.js";

let draw = async () => {};
let drawings = 0;
let moving = false;
let goesAnotherWay = () => false;

export function start(drawing) {
  draw = drawing;
  history.scrollRestoration = "manual";
  document.addEventListener("click", ignoreBounce, { capture: true });
  document.addEventListener("click", follow);
  addEventListener("popstate", () => show({ moved: true }));
}

// `asked()` is true when the page to which somebody goes comes another way, and is not drawn here.
export function beforeMoving(asked) {
  goesAnotherWay = asked;
}

// A glove that bounces taps once: the second tap would fall on the next page's button in the same place.
function ignoreBounce(event) {
  if (event.detail < 2 || !event.target.closest?.(".main-button, .phone-choice")) return;
  event.preventDefault();
  event.stopPropagation();
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !plain || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
  if (!link.pathname.startsWith("/phone/") || link.dataset.outside !== undefined) return;
  event.preventDefault();
  if (link.getAttribute("href").startsWith("#")) document.querySelector(link.hash)?.focus();
  else go(link.pathname + link.search);
}

export function go(url, { replace = false } = {}) {
  if (replace || url === location.pathname + location.search) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  return show({ moved: true });
}

// For a screen that is not for now: another one comes in its place, and Back does not find it again.
export async function instead(url) {
  await go(url, { replace: true });
  return null;
}

// Draws the page of the present address. `moved` false: the same page with news; what did not change stays the same
// element, so that a half-typed word, the focus and a finger on a button are not disturbed.
export async function show({ moved = false } = {}) {
  moving ||= moved;
  if (moving && (await goesAnotherWay())) return;
  drawings += 1;
  const mine = drawings;
  const screen = await draw({ path: location.pathname, search: location.search, moved: moving });
  // the newest drawing knows most
  if (!screen || mine !== drawings) return;
  put(screen, moving);
  moving = false;
}

function put(screen, moved) {
  const main = document.querySelector("#main");
  const words = { "data-page": screen.name, "data-address": location.pathname + location.search };
  const page = h("div.phone-page", words, screen.body);
  // what takes the focus on arrival must not look changed at the next news
  for (const title of page.querySelectorAll("h1")) title.tabIndex = -1;
  document.title = screen.title;
  const focused = document.activeElement?.id;
  if (moved || !main.firstElementChild) main.replaceChildren(page);
  else renew(main.firstElementChild, page);
  screen.shown?.(main.firstElementChild);
  if (moved) arrive(main);
  else if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
}

// A screen reader hears the new page, and a thumb begins at its top.
function arrive(main) {
  scrollTo(0, 0);
  const place = main.querySelector("[data-problems]:not([hidden]), h1") ?? main;
  place.focus({ preventScroll: true });
}
