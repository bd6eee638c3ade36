// The types of leaflet.js beside it, as far as static/js/board/map/map_*.js uses it; ours, not of the package.

declare global {
  interface LatLng {
    /** Degrees. */
    lat: number;
    lng: number;
    /** The same place with a longitude from -180 to 180. */
    wrap(): LatLng;
  }

  type MapPlace = LatLng | [latitude: number, longitude: number];

  /** Pixels. */
  interface LayerPoint {
    x: number;
    y: number;
  }

  interface MapPointerEvent {
    latlng: LatLng;
    layerPoint: LayerPoint;
    containerPoint: LayerPoint;
  }

  interface MapLayer {
    addTo(map: LeafletMap): this;
  }

  interface MapMarker extends MapLayer {
    setLatLng(place: MapPlace): this;
  }

  interface PathOptions {
    color: string;
    weight: number;
    dashArray?: string;
    interactive: boolean;
    radius?: number;
  }

  interface LeafletMap {
    setView(place: MapPlace, zoom: number): this;
    fitBounds(places: MapPlace[], options: { padding: [number, number]; maxZoom: number }): this;
    panTo(place: MapPlace): this;
    getBounds(): { contains(place: MapPlace): boolean };
    getSize(): LayerPoint;
    getZoom(): number;
    getPixelOrigin(): LayerPoint;
    dragging: { moving(): boolean };
    getPanes(): { overlayPane: HTMLElement };
    latLngToLayerPoint(place: MapPlace): LayerPoint;
    containerPointToLayerPoint(point: [number, number]): LayerPoint;
    invalidateSize(): this;
    on(name: "click" | "mousemove" | "move" | "moveend" | "resize", listener: (event: MapPointerEvent) => void): this;
    /** Ours: the marker of a place that was chosen. */
    chosen?: MapMarker;
  }

  interface MarkerOptions {
    icon?: object;
    title?: string | undefined;
    alt?: string | undefined;
    keyboard: boolean;
  }

  interface Leaflet {
    Icon: { Default: { imagePath: string | undefined } };
    DomUtil: { setPosition(element: HTMLElement, point: LayerPoint): void };
    map(element: HTMLElement, options: { zoomControl: boolean; attributionControl: boolean }): LeafletMap;
    tileLayer(url: string, options: { attribution: string | undefined; maxZoom: number }): MapLayer;
    control: {
      scale(options: { imperial: boolean }): MapLayer;
      zoom(options: { zoomInTitle: string | undefined; zoomOutTitle: string | undefined }): MapLayer;
    };
    marker(place: MapPlace, options: MarkerOptions): MapMarker;
    polyline(places: MapPlace[], options: PathOptions): MapLayer;
    circle(place: MapPlace, options: PathOptions): MapLayer;
    divIcon(options: { className: string; html: HTMLElement; iconSize: [number, number] }): object;
  }

  var L: Leaflet;
}

export {};
