// The maps of the office: of a day (static/js/board/map/day_map.js) and of one job (location_map.js).

interface MapBox extends HTMLElement {
  /** Address and source of the tiles, empty without; texts of the buttons. */
  readonly dataset: DOMStringMap & { readonly tiles: string; readonly attribution: string; readonly zoomIn?: string; readonly zoomOut?: string };
}

interface LocationBox extends HTMLElement {
  readonly dataset: MapBox["dataset"] & {
    /** Degrees; empty while nobody knows the place. */
    readonly latitude: string;
    readonly longitude: string;
    readonly title: string;
    readonly images: string;
    readonly canLocate?: string;
    /** Ids of the fields that a click fills. */
    readonly latitudeField?: string;
    readonly longitudeField?: string;
  };
}

/** Where the engineer's phone was at an event, with its number in the list; accuracy in metres, 0 where it is not known. */
interface GivenPosition {
  latitude: number;
  longitude: number;
  accuracy: number;
  number: string;
  title: string;
}

interface DayMapBox extends HTMLElement {
  /** Address of DayMapData, and "{number} jobs have no location". */
  readonly dataset: MapBox["dataset"] & { readonly url: string; readonly missing: string };
}

/** The answer of board/day/day_map.py. */
interface DayMapData {
  /** By the job's number. */
  jobs: Record<string, [latitude: number, longitude: number] | undefined>;
  engineers: EngineerPosition[];
  legend: { slug: string; character: string; label: string }[];
}

interface EngineerPosition {
  initials: string;
  latitude: number;
  longitude: number;
}

/** A place, and where it lies on the map's canvas; `spread` counts those before it at the same place. */
interface MapPoint {
  latitude: number;
  longitude: number;
  spread: number;
  x: number;
  y: number;
  /** Of the map's layer, for which x and y hold. */
  origin: string;
}

/** `state` and `risk` as the card's classes have them. */
interface PinLook {
  state: string;
  risk: string;
  isChosen: boolean;
}

interface MapPin extends MapPoint, PinLook {
  id: string;
  /** Its number on the route; 0 for none. */
  stop: number;
  isFaded: boolean;
}

interface MapRoute {
  stops: MapPin[];
  isChosen: boolean;
}

interface MapSymbols {
  /** Colours of routes; asking the style sheet while a map is dragged would lay out the whole page. */
  readonly line: string;
  readonly chosenLine: string;
  job(look: PinLook, scale: number): HTMLCanvasElement;
  stop(number: number, scale: number): HTMLCanvasElement;
  engineer(initials: string, scale: number): HTMLCanvasElement;
}

interface PinLayer {
  map: LeafletMap;
  canvas: HTMLCanvasElement;
  symbols: MapSymbols;
  pins: MapPin[];
  routes: MapRoute[];
  engineers: (EngineerPosition & MapPoint)[];
  /** Upper left corner of the canvas on the map's layer. */
  edge: [x: number, y: number];
}

interface DayMap {
  box: DayMapBox;
  map: LeafletMap;
  layer: PinLayer;
  places: DayMapData;
  /** Whether all pins were brought into view once. */
  isFitted: boolean;
  /** Number of the chosen job. */
  chosen: string;
  tip: HTMLElement;
}

interface DocumentEventMap {
  "board:filtered": CustomEvent;
}
