// Starts the page's behaviours: each element with data-module="{% static 'js/…' %}" gets that module's start(element).
//
// No import map, since an inline one needs a nonce. The template writes the (hashed) address of the module; inside it
// a relative import names the unhashed file, which WhiteNoise stores and serves as well as the hashed one in production.
// So a module that others import must never be a data-module too: it would be loaded twice under two names.

/** @param {HTMLElement} element */
async function start(element) {
  try {
    const module = await import(element.dataset.module ?? "");
    module.start(element);
    element.dataset.started = "";
  } catch (problem) {
    // The page works without its script; log it to the console and leave the forms as they are.
    console.error(`${element.dataset.module} did not start`, problem);
  }
}

for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-module]"))) {
  start(element);
}
