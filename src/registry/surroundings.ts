import type { JsonObject } from "../core/base/index.ts";
import {
  type Catalog,
  type Definition,
  EMPTY_CATALOG,
  readDefinition,
  type WorkflowRef,
} from "../core/definition/index.ts";
import { catalogOfPins, NO_PINS } from "../core/pins/index.ts";
import type { RegistryStore } from "../store/index.ts";

/** What a text refers to outside itself, as it is registered at the moment. */
export interface Surroundings {
  /** What there is of what it names; what is missing is missing here. */
  readonly library: Readonly<Record<string, JsonObject>>;
  readonly lenses: Readonly<Record<string, JsonObject>>;
  /** Every workflow it starts, also from within library steps. */
  readonly workflows: readonly WorkflowRef[];
}

export type LookUp = (kind: "library" | "lens", name: string) => Promise<JsonObject | undefined>;

const NOWHERE: Surroundings = { library: {}, lenses: {}, workflows: [] };

export function lookUpIn(store: Pick<RegistryStore, "getEntry">, orgId: string): LookUp {
  return async (kind, name) => (await store.getEntry(orgId, kind, name))?.body;
}

/** A text that cannot be read refers to nothing anybody could find. */
export async function surroundingsOf(source: string | Uint8Array, lookUp: LookUp): Promise<Surroundings> {
  const { definition } = readDefinition(source, EMPTY_CATALOG);
  if (definition === null) return NOWHERE;
  const library = await found("library", libraryStepsIn(definition), lookUp);
  const lenses = await found("lens", lensesIn(definition), lookUp);
  const full = readDefinition(source, { ...catalogAround({ library, lenses }), workflows: null }).definition;
  return { library, lenses, workflows: workflowsIn(full ?? definition) };
}

/** As the checker takes it: what a text names and is not there is then a problem of that text. */
export function catalogAround({ library, lenses }: Pick<Surroundings, "library" | "lenses">): Catalog {
  return { ...catalogOfPins({ ...NO_PINS, library, lenses }), workflows: null };
}

async function found(kind: "library" | "lens", names: ReadonlySet<string>, lookUp: LookUp) {
  const entries: [string, JsonObject][] = [];
  for (const name of names) {
    const body = await lookUp(kind, name);
    if (body !== undefined) entries.push([name, body]);
  }
  return Object.fromEntries(entries);
}

function libraryStepsIn(definition: Definition): ReadonlySet<string> {
  const steps = definition.format === "lobsterx" ? definition.steps : [];
  return new Set(steps.flatMap(({ unresolvedLibraryStep: name }) => (name === null ? [] : [name])));
}

function lensesIn(definition: Definition): ReadonlySet<string> {
  const nodes = definition.format === "lobsterx" ? [] : definition.nodes;
  return new Set(nodes.flatMap(({ lensId }) => (lensId === null ? [] : [lensId])));
}

function workflowsIn(definition: Definition): readonly WorkflowRef[] {
  const parts = definition.format === "lobsterx" ? definition.steps : definition.nodes;
  return parts.flatMap(({ workflowRef }) => (workflowRef === null ? [] : [workflowRef]));
}
