/**
 * The console is one room with areas inside. Each area is a folder; the list names the areas it may import.
 * A screen is a folder of `screens` and imports no other screen: what two of them share is an area of its own.
 */
export const CONSOLE_AREAS: Readonly<Record<string, readonly string[]>> = {
  /** The browser page itself: address, keyboard, stored preferences, observable values. */
  page: [],
  /** The API and the live connection. */
  live: ["page"],
  /** Widgets and texts, without requests. */
  parts: ["page"],
  graph: ["page", "parts"],
  editor: ["page", "parts"],
  /** Forms made of JSON Schemas. */
  form: ["page", "parts", "editor"],
  /** Registered objects of every kind: lists, fields, the editor of a spec. */
  manifest: ["page", "live", "parts", "editor", "form"],
  /** One run as it is shown: the fold of its events, its graph, its list of nodes. */
  run: ["page", "parts", "graph"],
  screens: ["page", "live", "parts", "graph", "editor", "form", "manifest", "run"],
  app: ["page", "live", "parts", "screens"],
  /** `main.tsx`. */
  "": ["app"],
};

const ROOT = "src/console/";

/** The area of a file of the console, `""` for one directly in its folder, null outside of it. */
export function areaOf(path: string): string | null {
  if (!path.startsWith(ROOT)) return null;
  const folders = path.slice(ROOT.length).split("/").slice(0, -1);
  return folders[0] ?? "";
}

/** `screens/runs` for a file of that screen, null for any other. */
export function screenOf(path: string): string | null {
  return /^src\/console\/(screens\/[^/]+)\//.exec(path)?.[1] ?? null;
}
