// Texts for a screen reader, in the one region of the board that is never replaced: what comes into the page together with
// its region is not read out.

const waiting = /** @type {string[]} */ ([]);

/** @param {string} text */
export function announce(text) {
  waiting.push(text.replace(/\s+/g, " ").trim());
  // what one update of the board brings is read out together
  if (waiting.length === 1) setTimeout(flush);
}

function flush() {
  const region = document.getElementById("announcement");
  const texts = waiting.splice(0);
  if (!region) return;
  // a card that is being moved has its engineer and time there
  const before = document.querySelector(".is-held") ? [region.textContent] : [];
  region.textContent = [...before, ...texts].join(" ");
}

// What an element says, without its buttons.
/** @param {Element} element */
export function textOf(element) {
  const copy = /** @type {Element} */ (element.cloneNode(true));
  for (const button of copy.querySelectorAll("button")) button.remove();
  return copy.textContent;
}
