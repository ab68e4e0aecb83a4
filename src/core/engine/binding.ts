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
  /** Labels of a lens template without a value: a person can give one. */
  | { readonly kind: "unbound"; readonly missing: readonly string[] };

/** What binding found on its way, whatever is done with the value. */
export type Findings = Pick<Extract<Binding, { readonly kind: "bound" }>, "handoffs" | "warnings">;

export const NO_FINDINGS: Findings = { handoffs: [], warnings: [] };

/** A schema is broken at a place of its own, which its details name. */
export function errorText({ field, reason, details }: ContractError): string {
  return reason === "schema_violation" && details !== undefined
    ? `${field} ${reason} (${details})`
    : `${field} ${reason}`;
}

export function bindingFailed(code: string, message: string): Binding {
  return { kind: "failed", failure: { code, message } };
}

/** Collects what binding finds on its way. */
export class FindingsCollector {
  // Most nodes find nothing, and every node of a run is bound: what is not needed is not made.
  #handoffs: Map<string, Handoff> | null = null;
  #warnings: Set<string> | null = null;

  warn(message: string): void {
    (this.#warnings ??= new Set()).add(message);
  }

  handOff(handoff: Handoff): void {
    const key = JSON.stringify([handoff.sourceNodeId, handoff.sourceOutputPath, handoff.targetInputPath]);
    const handoffs = (this.#handoffs ??= new Map<string, Handoff>());
    if (!handoffs.has(key)) handoffs.set(key, handoff);
  }

  get findings(): Findings {
    if (this.#handoffs === null && this.#warnings === null) return NO_FINDINGS;
    return { handoffs: [...(this.#handoffs?.values() ?? [])], warnings: [...(this.#warnings ?? [])] };
  }
}
