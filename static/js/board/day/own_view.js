// The view of this page in an address: without it, the server shows what was chosen last, perhaps in another tab.

/** @param {string} address @param {string} view as `data-view` has it */
export function inView(address, view) {
  const url = new URL(address, location.href);
  // what was never chosen is empty
  for (const [name, value] of new URLSearchParams(view)) if (value) url.searchParams.set(name, value);
  return url.href;
}

// Once the page has it, the address is that of the day again.
/** @param {string} view */
export function forgetView(view) {
  const url = new URL(location.href);
  for (const name of new URLSearchParams(view).keys()) url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
}
