import { z } from "zod";
import {
  FAILURE_CLASSES,
  formatPath,
  type Json,
  type JsonObject,
  type Problem,
  type TreePath,
  isJsonArray,
  isJsonObject,
} from "../base/index.ts";
import { suggest } from "../definition/index.ts";
import { walk } from "../expression/index.ts";
import { readSource, type SourceTree } from "../text/index.ts";
import { checkRounds } from "./round-check.ts";
import { billFields, ms, scriptCallSchema, scriptRoundSchema, scriptRoundsSchema } from "./script-round.ts";

/** What the scripted adapter answers: by node, attempt by attempt. */
export interface Script {
  readonly seed: number;
  readonly default: "auto" | "echo";
  readonly nodes: ReadonlyMap<string, readonly ScriptEntry[]>;
}

export const EMPTY_SCRIPT: Script = { seed: 0, default: "auto", nodes: new Map() };

const count = z.number().int().nonnegative();
const json: z.ZodType<Json> = z.json();

const entrySchema = z.strictObject({
  delay_ms: ms.optional(),
  fail: z.enum(FAILURE_CLASSES).optional(),
  /** What the failure says; a sentence of our own otherwise. */
  message: z.string().optional(),
  retry_after_ms: ms.optional(),
  chunks: z.array(z.string()).optional(),
  chunk_ms: ms.optional(),
  stdout: z.string().optional(),
  outputs: z.record(z.string(), json).optional(),
  raw: z.string().optional(),
  ...billFields,
  hang: z.boolean().optional(),
  duplicate_callback: count.max(100).optional(),
  /** The turn of an agent: what the model says and which tools it calls, round by round. */
  rounds: scriptRoundsSchema.optional(),
});
export type ScriptEntry = z.infer<typeof entrySchema>;

const headSchema = z.strictObject({
  seed: z.number().int().optional(),
  default: z.enum(["auto", "echo"]).optional(),
  nodes: z.record(z.string(), json).optional(),
});

function headKeysAt(inner: TreePath): readonly string[] {
  return inner.length === 0 ? Object.keys(headSchema.shape) : [];
}

/** A node id, an instance of one, or either after the name of its workflow. */
const KEY = /^(?:[A-Za-z0-9][A-Za-z0-9_-]*\/)?[A-Za-z][A-Za-z0-9_-]*(?:\[\d+\])?$/;

export function readScript(source: string | Uint8Array): { script: Script; problems: readonly Problem[] } {
  const { tree, problems } = readSource(source);
  if (tree === null) return { script: EMPTY_SCRIPT, problems };
  const found: Problem[] = [...problems];
  if (!isJsonObject(tree.value)) {
    found.push(problemAt(tree, [], "wrong_type", "A script is a map with the keys seed, default and nodes."));
    return { script: EMPTY_SCRIPT, problems: found };
  }
  const head = headSchema.safeParse(tree.value);
  if (!head.success) collect(tree, [], tree.value, head.error.issues, headKeysAt, found);
  const nodes = isJsonObject(tree.value["nodes"]) ? readNodes(tree, tree.value["nodes"], found) : new Map();
  found.sort((left, right) => left.line - right.line || left.column - right.column);
  return {
    script: { seed: head.data?.seed ?? 0, default: head.data?.default ?? "auto", nodes },
    problems: found,
  };
}

function readNodes(tree: SourceTree, given: JsonObject, found: Problem[]): Map<string, readonly ScriptEntry[]> {
  const nodes = new Map<string, readonly ScriptEntry[]>();
  for (const [key, value] of Object.entries(given)) {
    const path = ["nodes", key];
    if (!KEY.test(key)) {
      const message = `"${key}" names no node: write a node id, workflow/node, or an instance such as node[3].`;
      found.push(problemAt(tree, path, "bad_id", message));
    }
    const list = isJsonArray(value) ? value : [value];
    if (list.length === 0) found.push(problemAt(tree, path, "missing_field", `"${key}" has no entry at all.`));
    const entries = list.map((item, index) =>
      readEntry(tree, isJsonArray(value) ? [...path, index] : path, item, found),
    );
    nodes.set(
      key,
      entries.filter((entry) => entry !== null),
    );
  }
  return nodes;
}

function readEntry(tree: SourceTree, path: TreePath, value: Json, found: Problem[]): ScriptEntry | null {
  if (!isJsonObject(value)) {
    found.push(problemAt(tree, path, "wrong_type", 'An entry is a map, for example { stdout: "done" }.'));
    return null;
  }
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    collect(tree, path, value, parsed.error.issues, entryKeysAt, found);
    return null;
  }
  for (const { path: inner, code, message } of checkRounds(parsed.data)) {
    found.push(problemAt(tree, [...path, ...inner], code, message));
  }
  return parsed.data;
}

/** The keys a map inside an entry may have; none are named for the small ones. */
function entryKeysAt(inner: TreePath): readonly string[] {
  if (inner.length === 0) return Object.keys(entrySchema.shape);
  const [, , part] = inner;
  if (inner[0] !== "rounds") return [];
  if (inner.length === 2) return Object.keys(scriptRoundSchema.shape);
  return inner.length === 4 && part === "calls" ? Object.keys(scriptCallSchema.shape) : [];
}

function collect(
  tree: SourceTree,
  base: TreePath,
  value: JsonObject,
  issues: readonly z.core.$ZodIssue[],
  keysAt: (inner: TreePath) => readonly string[],
  found: Problem[],
): void {
  for (const issue of issues) {
    const inner = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
    const path = [...base, ...inner];
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) found.push(unknownKey(tree, [...path, key], key, keysAt(inner)));
      continue;
    }
    const name = formatPath(inner);
    const text = issue.message.replace(/^Invalid (input|option): /, "");
    const given = walk(value, inner);
    if (issue.code === "invalid_type" && given === undefined) {
      found.push(problemAt(tree, path, "missing_field", `"${name}" is missing.`));
    } else {
      found.push(problemAt(tree, path, codeOf(issue, given), `"${name}": ${text}.`));
    }
  }
}

function unknownKey(tree: SourceTree, path: TreePath, key: string, keys: readonly string[]): Problem {
  const meant = suggest(key, keys);
  const hint = meant === undefined ? `The keys are ${keys.join(", ")}.` : `Did you mean "${meant}"?`;
  return {
    code: "unknown_key",
    message: `A script has no key "${key}" here.`,
    path: formatPath(path),
    ...tree.keyPlaceOf(path),
    ...(keys.length === 0 ? {} : { hint }),
  };
}

function codeOf(issue: z.core.$ZodIssue, value: Json | undefined): Problem["code"] {
  if (issue.code === "invalid_value") return "bad_enum";
  if (issue.code === "too_small" || issue.code === "too_big") return "bad_number";
  if (issue.code === "invalid_type" && typeof value === "number") return "bad_number";
  return "wrong_type";
}

function problemAt(tree: SourceTree, path: TreePath, code: Problem["code"], message: string): Problem {
  return { code, message, path: formatPath(path), ...tree.placeOf(path) };
}

/** JSON Schema (2020-12) of a script, for editors. */
export function scriptJsonSchema(): JsonObject {
  const entries = z.union([entrySchema, z.array(entrySchema).min(1)]);
  const schema = z.toJSONSchema(headSchema.extend({ nodes: z.record(z.string(), entries).optional() })) as JsonObject;
  return { $id: "urn:sluice:schema:script", title: "Sluice script", ...schema };
}

/**
 * The entry for one attempt of a node: keys with the workflow's name win over plain ones, an instance's own key over
 * its node's, and the last entry of a list repeats.
 */
export function findEntry(script: Script, workflow: string, nodeId: string, attempt: number): ScriptEntry | undefined {
  const bracket = nodeId.indexOf("[");
  const ids = bracket === -1 ? [nodeId] : [nodeId, nodeId.slice(0, bracket)];
  const keys = [...ids.map((id) => `${workflow}/${id}`), ...ids];
  for (const key of keys) {
    const entries = script.nodes.get(key);
    if (entries !== undefined && entries.length > 0) return entries[Math.min(attempt, entries.length) - 1];
  }
  return undefined;
}
