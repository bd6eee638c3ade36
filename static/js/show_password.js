// A button that shows the typed password, and hides it again. Its space is reserved before it works, so that "Sign in"
// does not move when it appears.

/** @param {HTMLElement} button */
export function start(button) {
  const field = document.getElementById(button.getAttribute("aria-controls") ?? "");
  if (!(field instanceof HTMLInputElement)) return;
  button.classList.remove("needs-script");
  button.addEventListener("click", () => {
    const isShown = field.type === "text";
    field.type = isShown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!isShown));
    field.focus();
  });
}
