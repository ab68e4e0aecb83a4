import type { Failure } from "../base/index.ts";
import type { ContractError } from "../definition/index.ts";
import type { BoundRequest } from "./effect.ts";

/** One hand-off of a value that was really used. */
export interface Handoff {
  /** Null: an arg of the run. */
  readonly sourceNodeId: string | null;
  readonly sourceOutputPath: string;
  readonly targetInputPath: string;
  readonly transform?: string;
}

/** A node's inputs at the moment it would be sent, or why it cannot be. */
export type Binding =
  | {
      readonly kind: "bound";
      readonly request: BoundRequest;
      readonly handoffs: readonly Handoff[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: "failed"; readonly failure: Failure; readonly errors?: readonly ContractError[] }
  /** Labels of a lens template nobody gave a value for: a person can. */
  | { readonly kind: "unbound"; readonly missing: readonly string[] };

export function bindingFailed(code: string, message: string): Binding {
  return { kind: "failed", failure: { code, message } };
}

/** Collects what binding finds on its way. */
export interface Gathering {
  readonly handoffs: Map<string, Handoff>;
  readonly warnings: Set<string>;
}

export function beginGathering(): Gathering {
  return { handoffs: new Map(), warnings: new Set() };
}

export function handOff(gathering: Gathering, handoff: Handoff): void {
  const key = `${handoff.sourceNodeId ?? ""} ${handoff.sourceOutputPath} ${handoff.targetInputPath}`;
  if (!gathering.handoffs.has(key)) gathering.handoffs.set(key, handoff);
}
