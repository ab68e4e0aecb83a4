/** Names declared in an incomplete text, so that they can be offered as references. */
export interface DeclaredNames {
  /** Ids of steps, or of the nodes of a lens graph. */
  readonly steps: readonly string[];
  readonly phases: readonly string[];
  readonly roles: readonly string[];
  readonly args: readonly string[];
  readonly isLensGraph: boolean;
}

/** Names only the server knows. */
export interface KnownNames {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly models: readonly string[];
  readonly library: readonly string[];
  readonly lenses: readonly string[];
  readonly workflows: readonly string[];
}

export function declaredNames(text: string): DeclaredNames {
  const isLensGraph = /^format:\s*["']?lens-graph/m.test(text);
  return {
    steps: idsIn(section(text, isLensGraph ? "nodes" : "steps")),
    phases: phasesIn(section(text, "phases")),
    roles: keysIn(section(text, "roles")),
    args: keysIn(section(text, isLensGraph ? "root_inputs" : "args")),
    isLensGraph,
  };
}

/** Returns the content of a top-level key, including the rest of the key's own line. */
function section(text: string, key: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (first === -1) return "";
  const inside = lines.slice(first + 1);
  const end = inside.findIndex((line) => /^[^\s#-]/.test(line));
  return [(lines[first] ?? "").slice(key.length + 1), ...inside.slice(0, end === -1 ? undefined : end)].join("\n");
}

function idsIn(text: string): readonly string[] {
  return unique(text.matchAll(/(?:^|[\s{,])id:\s*["']?([A-Za-z0-9_-]+)/gm));
}

function phasesIn(text: string): readonly string[] {
  const inline = unique(text.matchAll(/(?:^\s*-\s+|[[,]\s*)["']?([A-Za-z0-9_-]+)["']?\s*(?=[,\]]|$)/gm));
  return [...new Set([...idsIn(text), ...inline])];
}

/** Returns the keys one indentation level inside a section. */
function keysIn(text: string): readonly string[] {
  const [, indent] = /^([ \t]+)[^\s#]/m.exec(text) ?? [];
  if (indent === undefined || /^\s*\{/.test(text))
    return unique(text.matchAll(/[{,]\s*["']?([A-Za-z0-9_-]+)["']?\s*:/g));
  return unique(text.matchAll(new RegExp(`^${indent}["']?([A-Za-z0-9_-]+)["']?\\s*:`, "gm")));
}

function unique(matches: Iterable<RegExpMatchArray>): readonly string[] {
  return [...new Set([...matches].map((match) => match[1] ?? ""))].filter((name) => name !== "");
}
