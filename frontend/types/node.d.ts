// Of Node what build.mjs and vendor.mjs use; the package @types/node would bring two megabytes for it.

interface Buffer extends Uint8Array {
  toString(): string;
}

declare const Buffer: { from(text: string): Buffer };
declare const process: { argv: string[] };

interface ImportMeta {
  url: string;
}

declare module "node:crypto" {
  interface Hash {
    update(data: string | Uint8Array): Hash;
    digest(encoding: "hex"): string;
  }
  export function createHash(algorithm: string): Hash;
}

declare module "node:fs" {
  export function mkdirSync(path: string, options?: { recursive?: boolean }): void;
  export function readdirSync(path: string, options?: { recursive?: boolean }): string[];
  export function readFileSync(path: string): Buffer;
  export function rmSync(path: string, options?: { recursive?: boolean; force?: boolean }): void;
  export function writeFileSync(path: string, data: string | Uint8Array): void;
}

declare module "node:path" {
  export function basename(path: string): string;
  export function dirname(path: string): string;
  export function join(...parts: string[]): string;
}

declare module "node:url" {
  export function fileURLToPath(url: string): string;
}
