// What the browsers have and TypeScript's library does not know, and what Django's catalogue puts into the page.

interface Navigator {
  connection?: EventTarget & { type?: string };
  standalone?: boolean;
}

interface ServiceWorkerRegistration {
  sync?: { register(tag: string): Promise<void> };
}

interface BeforeInstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

/** In the service worker: which version of the application it belongs to (phone/pwa.py). */
declare var phoneVersion: string | undefined;

declare function gettext(text: string): string;
declare function ngettext(one: string, many: string, number: number): string;

interface DetectedBarcode {
  rawValue: string;
}

declare class BarcodeDetector {
  constructor(options: { formats: string[] });
  static getSupportedFormats(): Promise<string[]>;
  detect(source: ImageBitmapSource): Promise<DetectedBarcode[]>;
}

// the lamp and the lens of a phone's camera
interface MediaTrackCapabilities {
  torch?: boolean;
  zoom?: { max: number };
}

interface MediaTrackConstraintSet {
  torch?: boolean;
  zoom?: number;
}
