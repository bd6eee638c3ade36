// How the pages look on this phone: dark, light or as the phone is, and large letters. A plain script, run before
// the first paint, so that nobody is dazzled for a moment. The me page writes the settings and sends "look".

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
