// Whether this page may know where the phone is; asked ahead, so that nobody is told of a position that is not taken.

let isDenied = false;

export const isLocationDenied = () => isDenied;

// `heard()` whenever it changes; where the browser does not tell, positions say it themselves.
export async function watchLocation(heard) {
  const permission = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
  if (!permission) return;
  const look = () => {
    isDenied = permission.state === "denied";
    heard();
  };
  permission.addEventListener("change", look);
  look();
}
