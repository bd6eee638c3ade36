// Brings a page up to date with a freshly drawn one, and touches nothing that is the same in both.

export function updateDom(old, fresh) {
  if (isSame(old, fresh)) return;
  if (old.cloneNode(false).isEqualNode(fresh.cloneNode(false))) updateChildren(old, fresh);
  else old.replaceWith(fresh);
}

// `data-component` names a part that looks after itself (a camera at work): under the same name it is left alone.
function isSame(old, fresh) {
  const own = old.dataset?.component;
  return own ? own === fresh.dataset?.component : old.isEqualNode(fresh);
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
  const next = before.length ? before.at(-1).nextSibling : behind(old, fresh, after);
  before.forEach((child) => child.remove());
  after.forEach((child) => old.insertBefore(child, next));
}

function drop(before, after, end) {
  before[end]();
  after[end]();
}

// Nothing is taken away: the newcomers stand where as many follow them as in the fresh page.
function behind(old, fresh, after) {
  const last = after.at(-1);
  const following = [...fresh.childNodes].length - 1 - [...fresh.childNodes].indexOf(last);
  return old.childNodes[old.childNodes.length - following] ?? null;
}
