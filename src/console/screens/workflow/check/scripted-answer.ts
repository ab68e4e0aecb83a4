import type { BrowserRequest, BrowserResult } from "../../../../browser/index.ts";
import {
  digestText,
  FAILURE_CLASSES,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../../../core/base/index.ts";
import { readSource } from "../../../../core/text/index.ts";
import type { SimulationProblem } from "./protocol.ts";

/** What nodes answer in a simulation, attempt by attempt: the same file the command line takes. */
export interface PageScript {
  readonly isEcho: boolean;
  readonly nodes: ReadonlyMap<string, readonly JsonObject[]>;
}

export function readPageScript(text: string): {
  readonly script: PageScript;
  readonly problems: readonly SimulationProblem[];
} {
  const nothing: PageScript = { isEcho: false, nodes: new Map() };
  if (text.trim() === "") return { script: nothing, problems: [] };
  const { tree, problems } = readSource(text);
  if (tree === null || problems.length > 0) return { script: nothing, problems };
  const refuse = (message: string, ...path: string[]): SimulationProblem => ({
    code: "wrong_type",
    message,
    line: tree.placeOf(path).line,
  });
  if (!isJsonObject(tree.value)) {
    return { script: nothing, problems: [refuse("A script is a map with the keys default and nodes.")] };
  }
  const given = getOwn(tree.value, "nodes") ?? {};
  if (!isJsonObject(given)) return { script: nothing, problems: [refuse('"nodes" is a map of node ids.', "nodes")] };
  const found: SimulationProblem[] = [];
  const nodes = Object.entries(given).map(([id, value]): [string, readonly JsonObject[]] => {
    const list = isJsonArray(value) ? value : [value];
    const entries = list.filter(isJsonObject);
    if (entries.length < list.length)
      found.push(refuse(`An answer of "${id}" is a map such as { stdout: done }.`, "nodes", id));
    return [id, entries];
  });
  return { script: { isEcho: getOwn(tree.value, "default") === "echo", nodes: new Map(nodes) }, problems: found };
}

/** The answer to one request; the last entry of a node repeats. */
export function answerOf(script: PageScript, request: BrowserRequest): BrowserResult {
  const entry = entryFor(script, request);
  const bill = billOf(entry);
  const fail = getOwn(entry, "fail");
  const failure = FAILURE_CLASSES.find((each) => each === fail);
  if (failure !== undefined) {
    const message = textOf(entry, "message") ?? `The script makes this attempt fail with ${failure}.`;
    return { status: "failed", failure, message, ...bill };
  }
  const stdout = textOf(entry, "raw") ?? textOf(entry, "stdout");
  const outputs = getOwn(entry, "outputs");
  if (isJsonObject(outputs))
    return { status: "completed", stdout: stdout ?? JSON.stringify(outputs), outputs, ...bill };
  if (stdout !== undefined) return { status: "completed", stdout, ...bill };
  if (script.isEcho) return { status: "completed", stdout: request.message, ...bill };
  return { status: "completed", ...madeUp(request), ...bill };
}

function entryFor(script: PageScript, { stepId, attempt, context }: BrowserRequest): JsonObject {
  const plain = stepId.replace(/\[\d+\]$/, "");
  for (const id of [`${context.workflow}/${stepId}`, `${context.workflow}/${plain}`, stepId, plain]) {
    const entries = script.nodes.get(id);
    if (entries !== undefined && entries.length > 0) return entries[Math.min(attempt, entries.length) - 1] ?? {};
  }
  return {};
}

function billOf(entry: JsonObject): {
  readonly costUsd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
} {
  const tokens = getOwn(entry, "tokens");
  const count = (key: string): number => (isJsonObject(tokens) ? (numberOf(tokens, key) ?? 0) : 0);
  const costUsd = numberOf(entry, "cost_usd");
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { inputTokens: count("input"), outputTokens: count("output") }),
  };
}

/** The same request is answered in the same way every time. */
function madeUp(request: BrowserRequest): { readonly stdout: string; readonly outputs?: JsonObject } {
  const { stepId, context, attempt, message, outputSchema } = request;
  const seed = `${context.workflow}/${stepId}/${attempt}`;
  if (outputSchema !== undefined) {
    const outputs = madeMap(outputSchema, seed);
    return { stdout: JSON.stringify(outputs), outputs };
  }
  return { stdout: `Made-up answer of ${stepId}: ${message.split("\n", 1)[0]?.slice(0, 120) ?? ""}` };
}

function madeMap(schema: JsonObject, seed: string): JsonObject {
  const properties = getOwn(schema, "properties");
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      madeValue(isJsonObject(field) ? field : {}, name, `${seed}/${name}`),
    ]),
  );
}

function madeValue(schema: JsonObject, name: string, seed: string): Json {
  const [first] = listOf(schema, "enum");
  if (first !== undefined) return first;
  const type = getOwn(schema, "type");
  switch (isJsonArray(type) ? type[0] : type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return madeNumber(schema, seed);
    case "array": {
      const items = getOwn(schema, "items");
      const length = Math.min(Math.max(2, numberOf(schema, "minItems") ?? 0), numberOf(schema, "maxItems") ?? 1_000);
      return Array.from({ length }, (_, index) =>
        madeValue(isJsonObject(items) ? items : {}, name, `${seed}/${index}`),
      );
    }
    case "object":
      return madeMap(schema, seed);
    default:
      return madeText(schema, name, seed);
  }
}

function madeNumber(schema: JsonObject, seed: string): number {
  const least = Math.ceil(numberOf(schema, "minimum") ?? (numberOf(schema, "maximum") ?? 100) - 99);
  const most = Math.floor(numberOf(schema, "maximum") ?? least + 99);
  return most < least ? (numberOf(schema, "minimum") ?? 0) : least + (chance(seed) % (most - least + 1));
}

function madeText(schema: JsonObject, name: string, seed: string): string {
  const text = `${name} ${chance(seed).toString(16).padStart(8, "0")}`;
  return text.padEnd(numberOf(schema, "minLength") ?? 0, ".").slice(0, numberOf(schema, "maxLength") ?? 10_000);
}

function chance(seed: string): number {
  return Number.parseInt(digestText(seed).slice(-8), 16);
}

function listOf(map: JsonObject, key: string): readonly Json[] {
  const value = getOwn(map, key);
  return isJsonArray(value) ? value : [];
}

function numberOf(map: JsonObject, key: string): number | undefined {
  const value = getOwn(map, key);
  return typeof value === "number" ? value : undefined;
}

function textOf(map: JsonObject, key: string): string | undefined {
  const value = getOwn(map, key);
  return typeof value === "string" ? value : undefined;
}
