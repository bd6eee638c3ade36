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

declare function gettext(text: string): string;
declare function ngettext(one: string, many: string, number: number): string;
declare const BarcodeDetector: any;
declare const ImageCapture: any;
declare const L: any;
