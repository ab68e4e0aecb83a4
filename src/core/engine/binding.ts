import type { Failure } from "../base/index.ts";
import type { ContractError } from "../definition/index.ts";
import type { BoundRequest } from "./effect.ts";

/** The hand-off of a value that was used. */
export interface Handoff {
  /** Null for an arg of the run. */
  readonly sourceNodeId: string | null;
  readonly sourceOutputPath: string;
  readonly targetInputPath: string;
  readonly transform?: string;
}

/** The inputs of a node at the moment it would be sent, or the reason why it cannot be sent. */
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

/** Hand-offs and warnings found during binding, whether or not the bound value is used. */
export type Findings = Pick<Extract<Binding, { readonly kind: "bound" }>, "handoffs" | "warnings">;

export const NO_FINDINGS: Findings = { handoffs: [], warnings: [] };

/** Formats a contract error. A schema violation names its own place in the details. */
export function errorText({ field, reason, details }: ContractError): string {
  return reason === "schema_violation" && details !== undefined
    ? `${field} ${reason} (${details})`
    : `${field} ${reason}`;
}

export function bindingFailed(code: string, message: string): Binding {
  return { kind: "failed", failure: { code, message } };
}

/** Collects hand-offs and warnings during binding. */
export class FindingsCollector {
  // Every node of a run is bound and most have no findings, so the collections are created only when needed.
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
