// Installing to the home screen: the browser's own prompt where it offers one; elsewhere (iPhone) the screen explains
// the steps.

/** @type {BeforeInstallPromptEvent | null} */
let offer = null;

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  offer = /** @type {BeforeInstallPromptEvent} */ (event);
});

export function isInstalled() {
  return navigator.standalone === true || matchMedia("(display-mode: standalone)").matches;
}

export const isIPhone = () => /iPhone|iPad|iPod/.test(navigator.userAgent) || navigator.standalone !== undefined;

export const canInstall = () => offer !== null;

export async function install() {
  await offer?.prompt();
  offer = null;
}
