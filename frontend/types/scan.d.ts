// What passes between the parts of the scanner (static/js/phone/scan), on the page and in the web worker.

/** A picture in grey, 0 black to 255 white, row by row. */
interface GreyPicture {
  data: Uint8Array;
  /** Pixels of a row. */
  width: number;
  /** Rows. */
  height: number;
}

/** A picture in colour: four bytes for each pixel, red, green, blue and opacity. */
interface Pixels {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

/** A code that was read. `isSure`: it counts at once; otherwise two attempts must agree. */
interface ScannedCode {
  text: string;
  isSure: boolean;
}

type CodeFormat = "QRCode" | "DataMatrix" | "Code128";

interface ReadOptions {
  /** Looks for turned and very large codes, too; slower. */
  harder?: boolean;
  /** How many times larger the picture was made than it came. */
  zoom?: number;
}

/** Reads the codes of a picture, quickly and synchronously (zxing.js). */
type CodeReader = (grey: GreyPicture, formats: CodeFormat[], options?: ReadOptions) => ScannedCode[];

/** One attempt of decode_attempts.js. */
type DecodeAttempt = (grey: GreyPicture, read: CodeReader) => ScannedCode[];

/** What one code or one field of it says: what its label calls it ("" for no label), and the text. */
interface CodePart {
  kind: "" | "fsan" | "serial_number" | "other";
  value: string;
}

/** dispatch/data/vendors.json. */
interface VendorFile {
  /** Where it comes from. */
  source: string;
  /** By the first four letters of an FSAN; `serial_number` is a pattern of this vendor's serial numbers. */
  vendors: Record<string, { name: string; serial_number?: string }>;
  /** By kind: the keywords that labels print next to a value. */
  words: Record<string, string[]>;
}

/** What the seller expects for the job: FSAN and serial number, "" where it sent none. */
type ExpectedValues = [fsan: string, serialNumber: string];

interface KnownLabels {
  vendors: VendorFile;
  expected: string[];
}

/** How a picture is read: one attempt by its number, or all of them until the label is understood. */
interface DecodeOptions {
  attempt?: number;
  known?: KnownLabels;
}

/** From the page to the web worker. `number` comes back with the answer. */
interface DecodeRequest {
  number: number;
  pixels: Pixels;
  how?: DecodeOptions;
}

/** From the web worker to the page; number 0 says that it is ready. */
interface DecodeAnswer<Code extends string | ScannedCode = string | ScannedCode> {
  number: number;
  codes?: Code[];
  problem?: string;
}

/** What was understood of a label: empty where nothing or several fit. */
interface ParsedLabel {
  fsan: string;
  serial_number: string;
  /** All that fit equally well. */
  fsans: string[];
  serial_numbers: string[];
  /** Why it is not certain. */
  unsure: LabelDoubt[];
}

type LabelDoubt = "no_fsan" | "several_fsans" | "no_serial_number" | "several_serial_numbers" | "unknown_vendor";

/** Right and down, in pixels. */
type Vector = [number, number];

interface Point {
  x: number;
  y: number;
}

/** Where a pixel lies between two blocks: the first, the second, and how far from the first (0 to 1). */
type BetweenBlocks = [first: number, second: number, part: number];

/** The brightness of the paper, one value for each block of the picture. */
interface Light {
  data: Float32Array;
  width: number;
  height: number;
}

/** One of the three squares in a QR code's corners: its middle and the edge of a module, in pixels. */
interface Finder extends Point {
  module: number;
}

/** Where a finder must have been: one module to the right in the code, and the code's middle and width in modules. */
interface LostFinder extends Point {
  right: Vector;
  centre: Vector;
  modules: number;
}

/** Counts readings until they may be believed (decode_attempts.js). */
interface CodeTally {
  add(codes: ScannedCode[]): void;
  confirmed(): string[];
  /** Whether a code waits for its second reading. */
  hasUnconfirmed(): boolean;
}

/** static/vendor/zxing/reader.js, as far as we use it. */
interface ZxingModule {
  prepareZXingModule(options: object): Promise<ZxingHeap>;
  defaultReaderOptions: object;
  encodeFormats(formats: CodeFormat[]): unknown;
  textModes: readonly string[];
}

interface ZxingHeap {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readBarcodesFromPixmap(pointer: number, width: number, height: number, options: object): ZxingCodes;
}

/** A vector of C++. */
interface ZxingCodes {
  size(): number;
  get(at: number): ZxingCode;
}

interface ZxingCode {
  text: string;
  format: string;
  /** Modules of the code. */
  symbol: { width: number; height: number };
  position: { topLeft: Point; topRight: Point; bottomLeft: Point };
}
