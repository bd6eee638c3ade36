// A button that shows what is typed into the password field, and hides it again. Its place
// is kept before it works: a button that appears late would push “Sign in” away from under the finger.

export function start(button) {
  /** @type {any} */
  const field = document.getElementById(button.getAttribute("aria-controls"));
  button.classList.remove("needs-script");
  button.addEventListener("click", () => {
    const isShown = field.type === "text";
    field.type = isShown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!isShown));
    field.focus();
  });
}
