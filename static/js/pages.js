// The script of every page outside the office: what its elements name in data-module.
import * as typedTexts from "./board/forms/typed_texts.js";
import * as livePage from "./live_page.js";
import * as messages from "./messages.js";
import * as showPassword from "./show_password.js";
import { startModules } from "./start_modules.js";

/** @type {Record<string, StartedModule>} */
const MODULES = {
  "forms/typed_texts": typedTexts,
  "live_page": livePage,
  "messages": messages,
  "show_password": showPassword,
};

startModules(async (name) => MODULES[name]);
