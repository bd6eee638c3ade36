// What an element names in data-module (static/js/start_modules.js).
interface StartedModule {
  start(element: any): unknown;
}
