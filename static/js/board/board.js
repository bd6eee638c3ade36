// The script of every page of the office: what its elements name in data-module. frontend/build.mjs makes one file of all
// but the maps.
import * as messages from "../messages.js";
import { startModules } from "../start_modules.js";
import * as attention from "./alarms/attention.js";
import * as areaGroups from "./day/area_groups.js";
import * as contextMenu from "./day/context_menu.js";
import * as dayKeys from "./day/day_keys.js";
import * as dragAndDrop from "./day/drag_and_drop.js";
import * as filters from "./day/filters.js";
import * as keyboard from "./day/keyboard.js";
import * as panelForms from "./day/panel_forms.js";
import * as presence from "./day/presence.js";
import * as selectionBar from "./day/selection_bar.js";
import * as undo from "./day/undo.js";
import * as week from "./day/week.js";
import * as doubleSubmit from "./forms/double_submit.js";
import * as typedTexts from "./forms/typed_texts.js";
import * as wrongField from "./forms/wrong_field.js";
import * as liveUpdates from "./live/live_updates.js";
import * as progress from "./live/progress.js";
import * as menu from "./menu.js";
import * as capacity from "./plans/capacity.js";
import * as proposedDay from "./plans/proposed_day.js";
import * as searchBox from "./search_box.js";

/** @type {Record<string, StartedModule>} */
const MODULES = {
  "alarms/attention": attention,
  "day/area_groups": areaGroups,
  "day/context_menu": contextMenu,
  "day/day_keys": dayKeys,
  "day/drag_and_drop": dragAndDrop,
  "day/filters": filters,
  "day/keyboard": keyboard,
  "day/panel_forms": panelForms,
  "day/presence": presence,
  "day/selection_bar": selectionBar,
  "day/undo": undo,
  "day/week": week,
  "forms/double_submit": doubleSubmit,
  "forms/typed_texts": typedTexts,
  "forms/wrong_field": wrongField,
  "live/live_updates": liveUpdates,
  "live/progress": progress,
  "menu": menu,
  "messages": messages,
  "plans/capacity": capacity,
  "plans/proposed_day": proposedDay,
  "search_box": searchBox,
};
/** @type {Record<string, () => Promise<StartedModule>>} */
const LATER = {
  "map/day_map": () => import("./map/day_map.js"),
  "map/location_map": () => import("./map/location_map.js"),
};

startModules(async (name) => MODULES[name] ?? LATER[name]?.());
