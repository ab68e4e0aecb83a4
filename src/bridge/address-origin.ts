/** Cache of origins: dispatches repeat the same few addresses, and parsing one costs more than all other checks of a dispatch. */
const origins = new Map<string, string | null>();
const KEPT_MAX = 500;

/** Returns the origin of an http or https URL without user name and password. Null for any other URL. */
export function originOf(url: string): string | null {
  const known = origins.get(url);
  if (known !== undefined) return known;
  if (origins.size >= KEPT_MAX) origins.clear();
  const origin = readOrigin(url);
  origins.set(url, origin);
  return origin;
}

function readOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, username, password, origin } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "" ? origin : null;
}
