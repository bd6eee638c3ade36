// Starts the page's behaviours: of each element with data-module that module's start(element).

/** @param {(name: string) => Promise<StartedModule | undefined>} load */
export function startModules(load) {
  const elements = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-module]"));
  let isStarted = false;
  const startAll = () => {
    if (!isStarted) elements.forEach((element) => start(element, load));
    isStarted = true;
  };
  // the page is on show first; one in the background has no frames
  if (document.hidden) return startAll();
  document.addEventListener("visibilitychange", startAll, { once: true });
  requestAnimationFrame(() => setTimeout(startAll));
}

/** @param {HTMLElement} element @param {(name: string) => Promise<StartedModule | undefined>} load */
async function start(element, load) {
  const name = element.dataset.module ?? "";
  try {
    const module = await load(name);
    if (!module) throw new Error("no such module");
    module.start(element);
    element.dataset.started = "";
  } catch (problem) {
    // The page works without its script; log it to the console and leave the forms as they are.
    console.error(`${name} did not start`, problem);
  }
}
