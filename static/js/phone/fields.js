// Small help at fields: the minus sign that phone keypads lack, and the ONT's label while it is typed.

const WAIT_MS = 300;

export function watchFields(root) {
  for (const button of root.querySelectorAll("[data-minus]")) button.addEventListener("click", () => turnSign(button));
  for (const form of root.querySelectorAll("form[data-ont-check]")) watchLabel(form);
}

function turnSign(button) {
  const field = button.closest("form").querySelector("[data-signed]");
  const text = field.value.trim();
  field.value = /^[-−]/.test(text) ? text.slice(1) : `−${text}`;
  field.focus();
}

function watchLabel(form) {
  let timer;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(check, WAIT_MS, form);
  });
}

async function check(form) {
  const { fsan, serial_number: serial } = form.elements;
  if (!fsan.value.trim()) return;
  const words = new URLSearchParams({ fsan: fsan.value, serial_number: serial?.value ?? "" });
  try {
    const answer = await fetch(`${form.dataset.ontCheck}?${words}`, {
      credentials: "same-origin",
      headers: { Accept: "application/json" },
    });
    if (answer.ok) show(form, await answer.json());
  } catch {
    // without a connection the check is made when it is sent
  }
}

function show(form, found) {
  tell(form, "[data-vendor]", found.vendor);
  tell(form, "[data-fsan-hint]", found.problems.map((problem) => problem.message).join(" "));
  const differs = form.querySelector("[data-expected-differs]");
  if (differs) differs.hidden = !found.differs_from_expected;
}

function tell(form, selector, text) {
  const place = form.querySelector(selector);
  if (place) place.textContent = text ?? "";
}
