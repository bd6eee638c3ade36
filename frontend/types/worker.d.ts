// What phone/pwa.py puts before the service worker, and what TypeScript's library does not know of workers.

/** The version of the application: another one is another cache. */
declare const VERSION: string;
/** The application's own files, which are served without signal: address → checksum, empty for a page. */
declare const FILES: Record<string, string>;
/** static/js/phone/app/send_queue.js, of which a worker may use this much. */
declare const sendQueue: { sendInBackground(engineerId: string): Promise<void> };

interface SyncEvent extends ExtendableEvent {
  /** Whether the browser gives up if this fails, too. */
  readonly lastChance: boolean;
}

interface ServiceWorkerGlobalScopeEventMap {
  sync: SyncEvent;
}

interface ServiceWorkerRegistration {
  readonly sync: { register(tag: string): Promise<void> };
}
