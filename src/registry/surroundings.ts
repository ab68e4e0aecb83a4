import { getOwn, isJsonArray, isJsonObject, type JsonObject } from "../core/base/index.ts";
import {
  allSteps,
  type Catalog,
  type Definition,
  type WorkerFunction,
  readDefinition,
  stepsInside,
  type WorkflowRef,
} from "../core/definition/index.ts";
import { catalogOfPins, NO_PINS } from "../core/plan/index.ts";
import { functionOfBody } from "./function.ts";
import { readSource } from "../core/text/index.ts";
import type { RegistryStore } from "../store/index.ts";

/** The entries a workflow text refers to, as they are registered now. */
export interface Surroundings {
  /** The library steps and lenses the text names. Missing entries are left out. */
  readonly library: Readonly<Record<string, JsonObject>>;
  readonly lenses: Readonly<Record<string, JsonObject>>;
  /** Functions of workers the text names, also from within library steps. */
  readonly functions: Readonly<Record<string, WorkerFunction>>;
  /** The registered ones among the channels its rules name. */
  readonly channels: readonly string[];
  /** Every workflow the text starts, also from within library steps. */
  readonly workflows: readonly WorkflowRef[];
}

export type LookUp = (
  kind: "library" | "lens" | "channel" | "function",
  name: string,
) => Promise<JsonObject | undefined>;

const NOWHERE: Surroundings = { library: {}, lenses: {}, functions: {}, channels: [], workflows: [] };

export function lookUpIn(store: Pick<RegistryStore, "getEntry">, orgId: string): LookUp {
  return async (kind, name) => (await store.getEntry(orgId, kind, name))?.body;
}

/**
 * Names are looked up even when the text has other problems, so that a mistake elsewhere makes no entry look missing.
 * A text whose structure cannot be read names nothing.
 */
export async function surroundingsOf(source: string | Uint8Array, lookUp: LookUp): Promise<Surroundings> {
  const tree = readSource(source).tree?.value;
  if (!isJsonObject(tree)) return NOWHERE;
  const library = await found("library", libraryNames(tree), lookUp);
  const lenses = await found("lens", namesUnder(tree, "nodes", "lens_id"), lookUp);
  const channels = Object.keys(await found("channel", namesUnder(tree, "notify", "channel"), lookUp));
  const named = await found("function", functionNames(tree, library), lookUp);
  const functions = Object.fromEntries(
    Object.entries(named).map(([name, body]) => [name, functionOfBody(body)] as const),
  );
  const catalog = { ...catalogAround({ library, lenses }), workflows: null };
  const { definition } = readDefinition(source, catalog, { isStored: true });
  return { library, lenses, functions, channels, workflows: definition === null ? [] : workflowsIn(definition) };
}

/** Builds the catalog for the checker, which reports a missing entry as a problem of the text. */
export function catalogAround({
  library,
  lenses,
  channels,
  tools,
  functions,
}: Pick<Surroundings, "library" | "lenses"> &
  Partial<Pick<Surroundings, "channels" | "functions">> &
  Pick<Catalog, "tools">): Catalog {
  const catalog = catalogOfPins({ ...NO_PINS, library, lenses });
  // A lens that cannot be read still exists; its problems are reported in its own manifest.
  const unread = Object.keys(lenses).map((id) => [id, { id, versions: [] }] as const);
  return {
    ...catalog,
    lenses: { ...Object.fromEntries(unread), ...catalog.lenses },
    workflows: null,
    channels: channels ?? null,
    tools: tools ?? null,
    functions: functions ?? null,
  };
}

async function found(kind: Parameters<LookUp>[0], names: ReadonlySet<string>, lookUp: LookUp) {
  const entries: [string, JsonObject][] = [];
  for (const name of names) {
    const body = await lookUp(kind, name);
    if (body !== undefined) entries.push([name, body]);
  }
  return Object.fromEntries(entries);
}

const HOLDERS = ["steps", "finally", "choose", "else"];

/** Returns the library steps a document names, also in its blocks. */
export function libraryNames(document: JsonObject): ReadonlySet<string> {
  return namesInSteps(document, "library_step");
}

/** Returns the functions a document names, in its own steps or in library steps it uses. */
function functionNames(document: JsonObject, library: Surroundings["library"]): ReadonlySet<string> {
  const names = [{ steps: Object.values(library) }, document].flatMap((one) => [...namesInSteps(one, "function")]);
  // A node of a lens graph may contain steps.
  const nodes = getOwn(document, "nodes");
  for (const node of isJsonArray(nodes) ? nodes : []) {
    const config = isJsonObject(node) ? getOwn(node, "config") : undefined;
    if (isJsonObject(config)) names.push(...namesInSteps(config, "function"));
  }
  return new Set(names);
}

/** Returns the names that steps have under a key, also in blocks. */
function namesInSteps(document: JsonObject, field: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (holder: JsonObject): void => {
    for (const key of HOLDERS) {
      const entries = getOwn(holder, key);
      for (const entry of isJsonArray(entries) ? entries : []) {
        if (!isJsonObject(entry)) continue;
        const name = getOwn(entry, field);
        if (typeof name === "string") names.add(name);
        visit(entry);
      }
    }
  };
  visit(document);
  return names;
}

/** Returns the names that the entries of a list have under a key. */
export function namesUnder(document: JsonObject, list: string, key: string): ReadonlySet<string> {
  const entries = getOwn(document, list);
  if (!isJsonArray(entries)) return new Set();
  return new Set(
    entries.flatMap((entry) => {
      const name = isJsonObject(entry) ? getOwn(entry, key) : undefined;
      return typeof name === "string" ? [name] : [];
    }),
  );
}

function workflowsIn(definition: Definition): readonly WorkflowRef[] {
  const steps = [...(definition.format === "lobsterx" ? allSteps(definition) : stepsInside(definition))];
  const nodes = definition.format === "lobsterx" ? [] : definition.nodes;
  const called = steps.flatMap(({ stepTools }) =>
    stepTools.flatMap((tool) => (tool.kind === "workflow" ? tool.workflow : [])),
  );
  return [...[...nodes, ...steps].flatMap(({ workflowRef }) => (workflowRef === null ? [] : [workflowRef])), ...called];
}
