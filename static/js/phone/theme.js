// Appearance on this phone: dark, light or same as the phone, and large text. A plain script, run before the first
// paint. The me page writes the settings and dispatches "look".

(() => {
  const NAMES = { theme: "phone.theme", type: "phone.type" };

  function apply() {
    for (const [name, key] of Object.entries(NAMES)) {
      const value = localStorage.getItem(key);
      if (value) document.documentElement.dataset[name] = value;
      else delete document.documentElement.dataset[name];
    }
  }

  addEventListener("look", apply);
  addEventListener("storage", apply);
  apply();
})();
