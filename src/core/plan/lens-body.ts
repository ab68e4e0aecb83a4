import type { JsonObject } from "../base/index.ts";
import type {
  EdgeCondition,
  InputContract,
  MergeStrategy,
  ModerationMode,
  OnParentFailure,
  OutputContract,
  OverrideValue,
} from "../definition/index.ts";
import type { LensTemplate, Values } from "../template/index.ts";
import type { Scope } from "./plan.ts";

export interface LensBody {
  readonly kind: "lens";
  readonly lensId: string | null;
  readonly versionId: string | null;
  /** Null when the bound inputs are sent as JSON. */
  readonly template: LensTemplate | null;
  readonly inputContract: InputContract | null;
  readonly outputContract: OutputContract | null;
  readonly requiredTools: readonly string[];
  readonly requiredTier: "basic" | "standard" | "advanced" | null;
  readonly roleTag: string | null;
  readonly onParentFailure: OnParentFailure;
  /** Normalised labels that render as '' when they have no value. */
  readonly optionalKeys: ReadonlySet<string>;
  readonly moderation: ModerationMode;
  readonly params: readonly LensParam[];
  readonly overrides: readonly LensOverride[];
  readonly with: JsonObject;
  /** Values of a node that does the work of a step; they read its labels by name. Absent for other nodes. */
  readonly inside?: { readonly scope: Scope; readonly with: Values };
}

/** One target parameter, with its edges in edge order and the strategy that merges them. */
export interface LensParam {
  readonly label: string;
  readonly strategy: MergeStrategy;
  readonly edges: readonly LensPlanEdge[];
}

export interface LensPlanEdge {
  readonly id: string;
  readonly source: number;
  readonly sourceOutputKey: string;
  readonly condition: EdgeCondition | null;
  /** Whether the source may have failed. Its failure is then passed as the value. */
  readonly mayFail: boolean;
}

export interface LensOverride {
  readonly label: string;
  readonly value: OverrideValue;
}
