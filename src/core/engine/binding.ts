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

/** What binding found on its way, whatever is done with the value. */
export type Findings = Pick<Extract<Binding, { readonly kind: "bound" }>, "handoffs" | "warnings">;

export const NO_FINDINGS: Findings = { handoffs: [], warnings: [] };

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

export function findingsOf({ handoffs, warnings }: Gathering): Findings {
  return { handoffs: [...handoffs.values()], warnings: [...warnings] };
}

export function handOff(gathering: Gathering, handoff: Handoff): void {
  const key = JSON.stringify([handoff.sourceNodeId, handoff.sourceOutputPath, handoff.targetInputPath]);
  if (!gathering.handoffs.has(key)) gathering.handoffs.set(key, handoff);
}
