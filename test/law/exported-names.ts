import { posix } from "node:path";
import type { Breach } from "./rules.ts";
import { isTest } from "./rules.ts";
import type { SourceFile } from "./source.ts";

/** Names with two meanings, each with its reason. */
export const TWO_MEANINGS: Readonly<Record<string, string>> = {
  Report: "what is wrong with a definition, and what an adapter reports: no file needs both",
  Workflow: "as the API shows it, and as code makes it: `sluice/workflow` is imported by programs of users alone",
  fail: "an outcome that is a failure, and a step that ends a run; the second is the word of the format",
  json: "a shape of the contract, and a function of expressions; the second is the word of the format",
  InboxList: "a component, and the data it shows",
};

const DECLARED = /^export (?:declare )?(?:async )?(?:abstract )?(?:type|interface|const|let|function\*?|class) (\w+)/gm;
const NAMED = /^(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;
const STARS = /^export (?:type )?\* from "([^"]+)"/gm;

/** Where a name comes from: the file that declares it. */
type Origins = Map<string, string>;

/**
 * A name that doors hand out means one thing in all rooms, and so does a name within one folder. Elsewhere files may
 * use the same short name for what only they and their neighbours see.
 */
export function exportedNamesRule(files: readonly SourceFile[]): Breach[] {
  return [...meaningsOf(files)]
    .filter(([name]) => !Object.hasOwn(TWO_MEANINGS, name))
    .map(([name, origins]) => `${name} has several meanings: ${origins.join(", ")}; rename one, or merge them`);
}

/** The names with several, each with the files that declare it. */
export function meaningsOf(files: readonly SourceFile[]): Map<string, readonly string[]> {
  const byPath = new Map(files.filter(({ path }) => !isTest(path)).map((file) => [file.path, file]));
  const known = new Map<string, Origins>();
  const originsOf = (path: string): Origins => {
    const found = known.get(path) ?? new Map<string, string>();
    const file = byPath.get(path);
    if (file === undefined || known.has(path)) return found;
    known.set(path, found);
    const target = (specifier: string): string => posix.join(posix.dirname(path), specifier);
    const imported: Origins = new Map();
    for (const [, verb, list = "", specifier] of file.text.matchAll(NAMED)) {
      const from = specifier === undefined ? imported : originsOf(target(specifier));
      for (const { name, local } of namesIn(list)) {
        const origin = from.get(name);
        if (origin !== undefined) (verb === "import" ? imported : found).set(local, origin);
      }
    }
    for (const [, name = ""] of file.text.matchAll(DECLARED)) found.set(name, path);
    for (const [, specifier = ""] of file.text.matchAll(STARS)) {
      for (const [name, origin] of originsOf(target(specifier))) found.set(name, origin);
    }
    return found;
  };
  const groups = new Map<string, Map<string, Set<string>>>();
  const note = (group: string, origins: Origins, isCounted: (origin: string) => boolean): void => {
    const names = groups.get(group) ?? new Map<string, Set<string>>();
    groups.set(group, names);
    for (const [name, origin] of origins) {
      if (isCounted(origin)) names.set(name, (names.get(name) ?? new Set()).add(origin));
    }
  };
  for (const path of byPath.keys()) {
    if (path.endsWith("/index.ts")) note("the doors", originsOf(path), () => true);
    note(posix.dirname(path), originsOf(path), (origin) => origin === path);
  }
  const several = [...groups.values()].flatMap((names) => [...names].filter(([, origins]) => origins.size > 1));
  return new Map(several.map(([name, origins]) => [name, [...origins]]));
}

function namesIn(list: string): { readonly name: string; readonly local: string }[] {
  return [...list.replaceAll(/\/\*.*?\*\//gs, "").matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)].map(
    ([, name = "", local]) => ({ name, local: local ?? name }),
  );
}
