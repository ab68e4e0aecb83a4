import { z } from "zod";
import {
  FAILURE_CLASSES,
  type Json,
  type JsonObject,
  type Problem,
  type TreePath,
  isJsonArray,
  isJsonObject,
} from "../base/index.ts";
import { readSource, type SourceTree } from "../text/index.ts";
import { checkRounds } from "./round-check.ts";
import { billFields, ms, scriptRoundsSchema } from "./script-round.ts";
import { problemAt, shapeProblems } from "./shape-problem.ts";

/** Answers of the scripted adapter, by node and attempt. */
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
  /** Message of the failure. When absent, a default sentence is used. */
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
  /** The turn of an agent: texts and tool calls of the model, by round. */
  rounds: scriptRoundsSchema.optional(),
});
export type ScriptEntry = z.infer<typeof entrySchema>;

const headSchema = z.strictObject({
  seed: z.number().int().optional(),
  default: z.enum(["auto", "echo"]).optional(),
  nodes: z.record(z.string(), json).optional(),
});

/** A node id or an instance id, after the workflow name or after the nodes whose runs contain it, as in `each[2]/block#2/node`. */
const KEY = /^(?:[A-Za-z0-9][A-Za-z0-9_-]*(?:\[\d+\])?(?:#\d+)?\/)*[A-Za-z][A-Za-z0-9_-]*(?:\[\d+\])?$/;

export function readScript(source: string | Uint8Array): { script: Script; problems: readonly Problem[] } {
  const { tree, problems } = readSource(source);
  if (tree === null) return { script: EMPTY_SCRIPT, problems };
  const read = readScriptAt(tree, [], tree.value);
  const found = [...problems, ...read.problems];
  found.sort((left, right) => left.line - right.line || left.column - right.column);
  return { script: read.script, problems: found };
}

/** Reads a script that is part of a larger text. */
export function readScriptAt(
  tree: SourceTree,
  base: TreePath,
  value: Json,
): { readonly script: Script; readonly problems: readonly Problem[] } {
  if (!isJsonObject(value)) {
    const message = "A script is a map with the keys seed, default and nodes.";
    return { script: EMPTY_SCRIPT, problems: [problemAt(tree, base, "wrong_type", message)] };
  }
  const found: Problem[] = [...shapeProblems({ tree, base, value, noun: NOUN }, headSchema)];
  const head = headSchema.safeParse(value);
  const nodes = isJsonObject(value["nodes"]) ? readNodes(tree, [...base, "nodes"], value["nodes"], found) : new Map();
  return { script: { seed: head.data?.seed ?? 0, default: head.data?.default ?? "auto", nodes }, problems: found };
}

const NOUN = "A script";

function readNodes(
  tree: SourceTree,
  base: TreePath,
  given: JsonObject,
  found: Problem[],
): Map<string, readonly ScriptEntry[]> {
  const nodes = new Map<string, readonly ScriptEntry[]>();
  for (const [key, value] of Object.entries(given)) {
    const path = [...base, key];
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
    found.push(...shapeProblems({ tree, base: path, value, noun: NOUN }, entrySchema));
    return null;
  }
  for (const { path: inner, code, message } of checkRounds(parsed.data)) {
    found.push(problemAt(tree, [...path, ...inner], code, message));
  }
  return parsed.data;
}

/** JSON Schema (2020-12) of a script, for editors. */
export function scriptJsonSchema(): JsonObject {
  const entries = z.union([entrySchema, z.array(entrySchema).min(1)]);
  const schema = z.toJSONSchema(headSchema.extend({ nodes: z.record(z.string(), entries).optional() })) as JsonObject;
  return { $id: "urn:sluice:schema:script", title: "Sluice script", ...schema };
}

/** A node of a run. */
export interface ScriptedNode {
  readonly workflow: string;
  readonly nodeId: string;
  /** The nodes whose runs contain it, as in `each[2]/block/`. Empty in the first run, or when they are not known. */
  readonly path: string;
}

/**
 * Returns the keys under which the answers of a node may be written, the most exact one first: after the path of its run, after
 * that path without instances and numbers, after the name of its workflow, and alone. An instance comes before its node.
 */
export function keysOfNode({ workflow, nodeId, path }: ScriptedNode): readonly string[] {
  const bracket = nodeId.indexOf("[");
  const ids = bracket === -1 ? [nodeId] : [nodeId, nodeId.slice(0, bracket)];
  const places = path === "" ? [] : [path, path.replaceAll(/\[\d+\]|#\d+/g, "")];
  return [...places, `${workflow}/`, ""].flatMap((place) => ids.map((id) => `${place}${id}`));
}

/** Returns the entry for one attempt of a node. The last entry of a list repeats. */
export function findEntry(script: Script, node: ScriptedNode, attempt: number): ScriptEntry | undefined {
  for (const key of keysOfNode(node)) {
    const entries = script.nodes.get(key);
    if (entries !== undefined && entries.length > 0) return entries[Math.min(attempt, entries.length) - 1];
  }
  return undefined;
}
