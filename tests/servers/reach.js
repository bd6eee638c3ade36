// Run inside a page by reach.py.

/** @param {HTMLElement} one */
const spoken = (one) => `${one.tagName} ${one.className} "${(one.innerText || one.ariaLabel || one.id).slice(0, 40)}"`;

/** @param {HTMLElement} one */
const isHidden = (one) =>
  !one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
  one.matches(".skip-link, input[type=hidden], :disabled") ||
  one.closest(".visually-hidden");

// WCAG 2.5.8 sets links inside a sentence apart
/** @param {HTMLElement} one */
const isInSentence = (one) =>
  one.tagName === "A" && getComputedStyle(one).display === "inline" && one.parentElement?.innerText.trim() !== one.innerText.trim();

// a box to tick is hit by its words, too
/** @param {HTMLElement} one */
function boxOf(one) {
  const label = one.closest("label") ?? (one.id && document.querySelector(`label[for="${one.id}"].phone-check, input[type=file] + label[for="${one.id}"]`));
  return (label || one).getBoundingClientRect();
}

/** @param {number} least @param {number} main both in pixels */
function tooSmall(least, main) {
  const found = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("a[href], button, input, select, textarea, summary"))];
  const small = found.filter((one) => !isHidden(one) && !isInSentence(one)).filter((one) => {
    const { width, height } = boxOf(one);
    return height < (one.matches(".main-button") ? main : least) - 0.5 || width < least - 0.5;
  });
  return small.map((one) => `${spoken(one)}: ${Math.round(boxOf(one).width)} × ${Math.round(boxOf(one).height)}`);
}

function cutOff() {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const found = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("a, button, h1, h2, label, .state, .badge"))];
  const cut = found.filter((one) => one.checkVisibility() && !one.closest(".visually-hidden") && one.clientWidth && one.scrollWidth > one.clientWidth + 1);
  return [...(wide > 0 ? [`the page is ${wide} px wider than the screen`] : []), ...cut.map((one) => `cut off: ${spoken(one)}`)];
}

function said() {
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) if (!walker.currentNode.parentElement?.closest("script, style")) found.add(walker.currentNode.textContent?.trim());
  for (const name of ["aria-label", "title", "placeholder", "alt"])
    for (const one of document.querySelectorAll(`[${name}]`)) found.add(one.getAttribute(name)?.trim());
  return [...found].filter(Boolean);
}
