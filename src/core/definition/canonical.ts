/**
 * The canonical form of a definition: its meaning, independent of the format it was written in.
 *
 * - Texts and expressions are represented by their parts: spelling, positions and names of lambda parameters are left out.
 * - Fields with their default value are left out, so that a field added later does not change any hash.
 * - Steps keep their order, and everything else is sorted by `digestJson`.
 */
import { digestJson, isJsonObject, type Json, type JsonObject, LIMITS } from "../base/index.ts";
import type { Path } from "../expression/index.ts";
import { canonicalExpression } from "./canonical-expression.ts";
import { allSteps, stepsInside } from "./all-steps.ts";
import { EMPTY_CATALOG, readDefinition } from "./read-definition.ts";
import type { Definition, LensEdge, LensNode, Step } from "./definition.ts";

/** Returns the SHA-256 of the canonical form. A workflow in code and one in a file are compared by this hash. */
export function definitionHash(definition: Definition): string {
  return digestJson(canonicalDefinition(definition));
}

/** Returns the definition hash of a text. Null when the text is not a valid definition. Names outside the text are not checked. */
export function definitionHashOf(source: string | Uint8Array): string | null {
  const { definition } = readDefinition(source, EMPTY_CATALOG, { isStored: true });
  return definition === null ? null : definitionHash(definition);
}

function canonicalDefinition(definition: Definition): Json {
  const steps = definition.format === "lobsterx" ? allSteps(definition) : stepsInside(definition);
  return new Canonical(new Set(Array.from(steps, ({ id }) => id))).object(definition, DEFAULTS);
}

const DEFAULTS: JsonObject = {
  gateway: "pinned",
  completion: "strict",
  priority: "normal",
  maxParallel: LIMITS.runParallelDefault,
};
const STEP_DEFAULTS: JsonObject = {
  onFailure: "halt",
  parallelFailurePolicy: "wait_all",
  queueTimeoutMs: LIMITS.queueTimeoutMsDefault,
  action: "execute",
  effects: "at_least_once",
};
const FOR_EACH_DEFAULTS: JsonObject = { as: "item", maxItems: LIMITS.forEachItemsDefault, tolerate: { count: 0 } };

/** Fields that do not change the meaning: whether a default was written, and values derived from other fields. */
const DERIVED: ReadonlySet<string> = new Set(["isOnFailureWritten", "isRetryWritten", "outputKinds"]);
/** Fields that contain values of authors. Inside them nothing is left out. */
const LITERAL: ReadonlySet<string> = new Set(["default", "enum", "parameters"]);
/** Fields whose keys are names chosen by authors. */
const NAMED: ReadonlySet<string> = new Set(
  "args rootInputs roles inputs outputs with members properties form outcomes paramOverrides labels".split(" "),
);

class Canonical {
  readonly #ids: ReadonlySet<string>;

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids;
  }

  object(value: object, defaults: JsonObject = {}): JsonObject {
    const entries: [string, Json][] = [];
    for (const [key, member] of Object.entries(value)) {
      if (DERIVED.has(key)) continue;
      const written = LITERAL.has(key) ? (member as Json) : this.#member(key, member);
      if (isLeftOut(written) && !LITERAL.has(key)) continue;
      if (Object.hasOwn(defaults, key) && digestJson(defaults[key] ?? null) === digestJson(written)) continue;
      entries.push([key, written]);
    }
    return Object.fromEntries(entries);
  }

  #member(key: string, value: unknown): Json {
    if (key === "steps" && Array.isArray(value)) return value.map((step: Step) => this.#step(step));
    if (key === "nodes" && Array.isArray(value)) return value.map((node: LensNode) => this.#node(node));
    if (key === "edges" && Array.isArray(value)) return value.map((edge: LensEdge) => this.#edge(edge));
    if (key === "forEach" && value !== null) return this.object(value as object, FOR_EACH_DEFAULTS);
    if (NAMED.has(key) && typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#value(one)]));
    }
    return this.#value(value);
  }

  #node({ with: given, ...rest }: LensNode): Json {
    return { ...this.object(rest), ...(Object.keys(given).length === 0 ? {} : { with: given }) };
  }

  #edge({ condition, ...rest }: LensEdge): Json {
    if (condition === null) return this.object(rest);
    const judged = "expression" in condition ? this.object(condition) : { ...condition };
    return { ...this.object(rest), condition: judged };
  }

  #step(step: Step): Json {
    const { name, title, timeoutMs, ...rest } = step;
    // A name with references is represented by its parsed form.
    const named = title === null ? { name } : { title };
    const isRun = step.workflowRef !== null || step.block !== null || step.choose !== null;
    const isDefault = !isRun && timeoutMs === LIMITS.stepTimeoutMsDefault;
    return this.object({ ...rest, ...named, timeoutMs: isDefault ? null : timeoutMs }, STEP_DEFAULTS);
  }

  #value(value: unknown): Json {
    if (typeof value !== "object" || value === null) return (value ?? null) as Json;
    if (Array.isArray(value)) return value.map((one) => this.#value(one));
    if ("root" in value) return canonicalExpression(value.root as never, (path) => this.#path(path));
    if ("segments" in value) return { path: this.#path(value as Path) };
    if ("parts" in value) return this.#template(value.parts as readonly unknown[]);
    if ("kind" in value) return this.#kind(value);
    return this.object(value);
  }

  /** A text that consists of one reference is represented by that reference, in any spelling. */
  #template(parts: readonly unknown[]): Json {
    const [only] = parts;
    if (parts.length === 1 && typeof only === "object") return this.#value(only);
    return { text: parts.map((part) => this.#value(part)) };
  }

  /** Values written by authors. Literals stay unchanged. */
  #kind(value: { readonly kind: unknown }): Json {
    const { kind, ...rest } = value as JsonObject;
    switch (kind) {
      case "literal":
        return { literal: rest["value"] ?? null };
      case "reference":
      case "template":
      case "expression":
        return this.#value(rest["path"] ?? rest["template"] ?? rest["expression"]);
      default:
        return { kind: kind ?? null, ...this.object(rest) };
    }
  }

  /** Shortens `step.outputs.field` to `step.field`, unless the field name has another meaning there. */
  #path({ segments }: Path): Json {
    const [head, second, third, ...rest] = segments;
    const isOutput = second === "outputs" && typeof head === "string" && this.#ids.has(head);
    if (!isOutput || third === undefined || PARTS.has(String(third))) return segments;
    return [head, third, ...rest];
  }
}

/** Reserved parts of a step besides its outputs. */
const PARTS: ReadonlySet<string> = new Set(["outputs", "stdout", "json", "approved", "error"]);

function isLeftOut(value: Json): boolean {
  if (value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
