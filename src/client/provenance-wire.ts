import type { Json } from "../core/base/index.ts";
import type { ArgOrigin, AttemptFacts, Handoff, Lineage } from "../core/provenance/index.ts";

export type { ApprovalFacts, Handoff, LineageLink, LineagePoint } from "../core/provenance/index.ts";

/** Args of a new run, each with the output of another run it is taken from. */
export type InputsFrom = Readonly<Record<string, ArgOrigin>>;

/** Who made a value, as the API tells it. */
export type MadeBy = Omit<AttemptFacts, "startedAt" | "endedAt"> & {
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly promptRef: string;
};

export type LineageView = Omit<Lineage, "attempts"> & { readonly attempts: readonly MadeBy[] };

export interface LineageQuery {
  /** Without it an arg, which `output` names as `args.name`. */
  readonly node?: string;
  readonly output?: string;
  readonly direction?: "up" | "down";
}

/** What of a run's provenance is wanted: nothing in particular for its hand-offs. */
export type ProvenanceQuery = LineageQuery | { readonly format: "json" | "prov" | "openlineage" };

export type ProvenanceView<W extends ProvenanceQuery> = W extends { readonly format: "prov" | "openlineage" }
  ? Json
  : W extends { readonly node: string } | { readonly output: string }
    ? LineageView
    : { readonly data: readonly Handoff[] };
