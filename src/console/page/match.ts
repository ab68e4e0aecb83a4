export type Params = Readonly<Record<string, string>>;

/** Returns the parameters of a path for a pattern such as `/runs/:id`. A last part `:tab?` is optional. Null without a match. */
export function matchPath(pattern: string, path: string): Params | null {
  const wanted = partsOf(pattern);
  const given = partsOf(path);
  const least = wanted.filter((part) => !part.endsWith("?")).length;
  if (given.length < least || given.length > wanted.length) return null;
  const params: [string, string][] = [];
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (value === undefined) break;
    if (part.startsWith(":")) params.push([part.slice(1).replace(/\?$/, ""), decoded(value)]);
    else if (part !== value) return null;
  }
  return Object.fromEntries(params);
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/** A path typed by hand may contain an invalid percent escape, which is kept unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns a path from a pattern such as `/runs/:id` and its parameters. */
export function pathTo(pattern: string, params: Params = {}): string {
  return (
    pattern.replaceAll(/:(\w+)\??/g, (_, name: string) => encodeURIComponent(params[name] ?? "")).replace(/\/$/, "") ||
    "/"
  );
}
