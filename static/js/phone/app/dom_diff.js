// Updates a page from a freshly rendered one and touches nothing that is the same in both.

// what is said about an element and does not make it another one: a field keeps its caret when a problem comes or goes
const PATCHED = /^(class|aria-(?!label))/;
const PROGRESS = /^(value|max)$/;

export function updateDom(old, fresh) {
  if (isSame(old, fresh)) return;
  if (old.nodeName === fresh.nodeName && shellOf(old).isEqualNode(shellOf(fresh))) {
    patchAttributes(old, fresh);
    updateChildren(old, fresh);
  } else old.replaceWith(fresh);
}

// `data-component` names a part that looks after itself (a camera at work): under the same name it is left alone.
function isSame(old, fresh) {
  const own = old.dataset?.component;
  return own ? own === fresh.dataset?.component : old.isEqualNode(fresh);
}

function shellOf(node) {
  const shell = node.cloneNode(false);
  for (const name of patchedOf(shell)) shell.removeAttribute(name);
  return shell;
}

function patchedOf(node) {
  const names = node.getAttributeNames?.() ?? [];
  return names.filter((name) => PATCHED.test(name) || (node.nodeName === "PROGRESS" && PROGRESS.test(name)));
}

function patchAttributes(old, fresh) {
  for (const name of patchedOf(old)) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of patchedOf(fresh)) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
}

// What is equal at both ends stays; in between one stands for one, or all of it is put in anew.
function updateChildren(old, fresh) {
  const before = [...old.childNodes];
  const after = [...fresh.childNodes];
  while (before.length && after.length && isSame(before[0], after[0])) drop(before, after, "shift");
  while (before.length && after.length && isSame(before.at(-1), after.at(-1))) drop(before, after, "pop");
  if (before.length === after.length) {
    before.forEach((child, at) => updateDom(child, after[at]));
    return;
  }
  const next = before.length ? before.at(-1).nextSibling : following(old, fresh, after);
  before.forEach((child) => child.remove());
  after.forEach((child) => old.insertBefore(child, next));
}

function drop(before, after, end) {
  before[end]();
  after[end]();
}

// Nothing is taken away: the newcomers stand where as many follow them as in the fresh page.
function following(old, fresh, after) {
  const last = after.at(-1);
  const count = [...fresh.childNodes].length - 1 - [...fresh.childNodes].indexOf(last);
  return old.childNodes[old.childNodes.length - count] ?? null;
}
