/** The values known before the first step of a run: its args and some facts. Labels and the key of concurrency can read only these. */
import { didYouMean, type TreePath } from "../base/index.ts";
import { closedObject, followPath, type Known, type Path, TEXT } from "../expression/index.ts";
import { deadEndHint, deadEndMessage } from "./dead-end.ts";
import { knownOf } from "./declared.ts";
import type { ArgField } from "./field.ts";
import type { Report } from "./report.ts";

type Args = Readonly<Record<string, ArgField>>;

export interface StartFacts {
  readonly args: Args;
  /** The types of all names. An arg takes precedence over a fact with the same name. */
  readonly known: ReadonlyMap<string, Known>;
}

/** Returns the facts of labels: `args`, and `run` with `args`. */
export function labelFacts(args: Args): StartFacts {
  const own = knownArgs(args);
  const all = closedObject(own);
  const run = closedObject([
    ["id", TEXT],
    ["workflow", TEXT],
    ["args", all],
  ]);
  return { args, known: new Map<string, Known>([["args", all], ["run", run], ...own]) };
}

/** Returns the facts of the key of concurrency: `run`, with its start time and `args`. */
export function concurrencyFacts(args: Args): StartFacts {
  const own = knownArgs(args);
  const run = closedObject([
    ["id", TEXT],
    ["workflow", TEXT],
    ["started_at", TEXT],
    ["args", closedObject(own)],
  ]);
  return { args, known: new Map<string, Known>([["run", run], ...own]) };
}

function knownArgs(args: Args): readonly [string, Known][] {
  return Object.entries(args).map(([name, field]) => [name, knownOf(field)]);
}

/** The field that contains a path, and what is reported about it. */
export interface StartField {
  readonly code: "bad_concurrency" | "bad_label";
  readonly at: TreePath;
  /** Returns the hint for an unknown name that resembles no known one. */
  readonly hint: (text: string) => string;
}

/** Reports a path that can never have a value. Returns the args that the path uses. */
export function checkStartPath(path: Path, facts: StartFacts, field: StartField, report: Report): readonly string[] {
  const { text, segments, position: offset } = path;
  const { code, at } = field;
  const [first, ...rest] = segments;
  const head = String(first);
  const known = facts.known.get(head);
  if (known === undefined) {
    const message = `${text} is no arg and no fact of the run, and nothing else is known when a run starts.`;
    const hint = (): string => didYouMean(head, facts.known.keys()) ?? field.hint(text);
    report.problem(code, at, message, { offset, hint });
    return [];
  }
  const followed = followPath(known, rest);
  if (!followed.ok) {
    const { deadEnd } = followed;
    const message = deadEndMessage(text, segments, deadEnd, { name: head, length: 1 });
    report.strict(code, at, message, { offset, hint: () => deadEndHint(deadEnd) });
  }
  return argsUsed(segments, facts.args);
}

function argsUsed([head, second, third]: Path["segments"], args: Args): readonly string[] {
  if (Object.hasOwn(args, String(head))) return [String(head)];
  if (head === "run" && second !== undefined && second !== "args") return [];
  const name = head === "run" ? third : second;
  return name === undefined ? Object.keys(args) : [String(name)];
}
