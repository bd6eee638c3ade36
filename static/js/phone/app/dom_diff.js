// Updates a page from a freshly rendered one and touches nothing that is the same in both, but for what a tap does: an
// element that looks the same may be for another thing by now.

import { takeListeners } from "./dom.js";

// attributes that describe an element and do not make it another one: a field keeps its caret when a problem comes or goes
const PATCHED = /^(class|aria-(?!label))/;
const PROGRESS = /^(value|max)$/;

/** @param {ChildNode} old @param {ChildNode} fresh */
export function updateDom(old, fresh) {
  if (isSame(old, fresh)) leave(old, fresh);
  else if (old.nodeName === fresh.nodeName && shellOf(old).isEqualNode(shellOf(fresh))) {
    takeListeners(old, fresh);
    patchAttributes(/** @type {Element} */ (old), /** @type {Element} */ (fresh));
    updateChildren(old, fresh);
  } else old.replaceWith(fresh);
}

// `data-component` names a part that looks after itself (a camera at work): under the same name it is left alone.
/** @param {MaybeElement} old @param {MaybeElement} fresh */
function isSame(old, fresh) {
  const own = old.dataset?.component;
  return own ? own === fresh.dataset?.component : old.isEqualNode(fresh);
}

// Both have the same descendants.
/** @param {MaybeElement} old @param {MaybeElement} fresh */
function leave(old, fresh) {
  if (old.dataset?.component) return;
  takeListeners(old, fresh);
  old.childNodes.forEach((child, at) => leave(child, fresh.childNodes[at]));
}

/** @param {ChildNode} node */
function shellOf(node) {
  const shell = /** @type {Element} */ (node.cloneNode(false));
  for (const name of patchedOf(shell)) shell.removeAttribute(name);
  return shell;
}

/** @param {MaybeElement} node */
function patchedOf(node) {
  const names = node.getAttributeNames?.() ?? [];
  return names.filter((name) => PATCHED.test(name) || (node.nodeName === "PROGRESS" && PROGRESS.test(name)));
}

/** @param {Element} old @param {Element} fresh */
function patchAttributes(old, fresh) {
  for (const name of patchedOf(old)) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of patchedOf(fresh)) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, /** @type {string} */ (fresh.getAttribute(name)));
  }
}

// What is equal at both ends stays; in between elements are replaced one by one, or all at once.
/** @param {Node} old @param {Node} fresh */
function updateChildren(old, fresh) {
  const before = [...old.childNodes];
  const after = [...fresh.childNodes];
  while (before.length && after.length && isSame(before[0], after[0])) drop(before, after, "shift");
  while (before.length && after.length && isSame(/** @type {ChildNode} */ (before.at(-1)), /** @type {ChildNode} */ (after.at(-1)))) drop(before, after, "pop");
  if (before.length === after.length) {
    before.forEach((child, at) => updateDom(child, after[at]));
    return;
  }
  const last = before.at(-1);
  const next = last ? last.nextSibling : following(old, fresh, after);
  before.forEach((child) => child.remove());
  after.forEach((child) => old.insertBefore(child, next));
}

/** @param {ChildNode[]} before @param {ChildNode[]} after @param {"shift" | "pop"} end */
function drop(before, after, end) {
  leave(/** @type {ChildNode} */ (before[end]()), /** @type {ChildNode} */ (after[end]()));
}

// Nothing is taken away: the newcomers stand where as many follow them as in the fresh page.
/** @param {Node} old @param {Node} fresh @param {ChildNode[]} after */
function following(old, fresh, after) {
  const last = /** @type {ChildNode} */ (after.at(-1));
  const count = [...fresh.childNodes].length - 1 - [...fresh.childNodes].indexOf(last);
  return old.childNodes[old.childNodes.length - count] ?? null;
}
