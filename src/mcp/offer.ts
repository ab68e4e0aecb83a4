import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { ApiProblem, type SluiceClient, type Workflow } from "../client/index.ts";
import { type ArgField, type Definition, EMPTY_CATALOG, readDefinition } from "../core/definition/index.ts";

/** The description of a workflow that a caller needs before running it. */
export interface Offer {
  readonly description: string | null;
  /** Null when this process cannot parse the version, so that only the API knows its args. */
  readonly args: Readonly<Record<string, ArgField>> | null;
  readonly annotations: ToolAnnotations;
}

/** The offer for a workflow that cannot be read: the caller has to expect any effect. */
const UNKNOWN: Offer = {
  description: null,
  args: null,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};
const KEPT_MAX = 1_000;

/** A cache of offers by content hash. A version never changes, so its offer never changes either. */
export class OfferCache {
  readonly #kept = new Map<string, Offer>();

  async find(api: SluiceClient, { name, version, hash }: Workflow): Promise<Offer> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined) return kept;
    try {
      const offer = offerOf((await api.getVersion(name, version)).source);
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined && this.#kept.size >= KEPT_MAX) this.#kept.delete(oldest);
      this.#kept.set(hash, offer);
      return offer;
    } catch (error) {
      // The version may have been deleted since it was listed.
      if (error instanceof ApiProblem && error.status === 404) return UNKNOWN;
      throw error;
    }
  }
}

function offerOf(source: string): Offer {
  const { definition } = readDefinition(source, EMPTY_CATALOG, { isStored: true });
  if (definition === null) return UNKNOWN;
  const args = definition.format === "lobsterx" ? definition.args : definition.rootInputs;
  return { description: definition.description, args, annotations: riskOf(definition) };
}

/** Derives the risk hints from the steps. A child run or a library entry may do anything, and a model counts as open world. */
function riskOf(definition: Definition): ToolAnnotations {
  const shared = { idempotentHint: false, openWorldHint: true };
  if (definition.format !== "lobsterx") {
    return {
      readOnlyHint: false,
      destructiveHint: definition.nodes.some((node) => node.workflowRef !== null),
      ...shared,
    };
  }
  const { steps } = definition;
  const isOpaque = steps.some((step) => step.workflowRef !== null || step.unresolvedLibraryStep !== null);
  // A gate only asks a person, so it has no effect.
  const acting = steps.filter(({ approval, command }) => approval === null || command !== null);
  const readOnlyHint = !isOpaque && acting.every(({ action }) => action === "read");
  const destructiveHint = isOpaque || steps.some(({ action }) => action === "write" || action === "financial");
  return { readOnlyHint, destructiveHint, ...shared };
}
