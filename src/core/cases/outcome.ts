import type { JsonObject } from "../base/index.ts";
import type { NodeStatus } from "../event/index.ts";
import type { RUN_ENDINGS } from "./case-schema.ts";

export type CaseEnding = (typeof RUN_ENDINGS)[number];

/** What became of a node. */
export interface NodeOutcome {
  readonly status: NodeStatus;
  readonly attempts: number;
  readonly outputs: JsonObject | null;
  /** Its answer as text. */
  readonly text: string | null;
  readonly errorCode: string | null;
}

/** What the gates came to for a node, or for the launch. */
export interface CaseVerdict {
  readonly verdict: "allow" | "block" | "hold";
  readonly gate: string | null;
  readonly code: string | null;
}

/** Something that was asked of an adapter, a tool, a person or another workflow. */
export interface CaseCall {
  readonly kind: "node" | "tool" | "person" | "workflow";
  /** As in `CaseOutcome.nodes`. */
  readonly node: string;
  /** The tool or the workflow. */
  readonly name: string | null;
  readonly agent: string | null;
  readonly provider: string | null;
  /** What was asked, in words. */
  readonly text: string;
  readonly args: JsonObject | null;
}

/** What a case came to. */
export interface CaseOutcome {
  readonly status: CaseEnding;
  readonly errorCode: string | null;
  readonly outputs: JsonObject;
  readonly args: JsonObject;
  /** Those of blocks and child runs as `node/inner`. */
  readonly nodes: ReadonlyMap<string, NodeOutcome>;
  /** By node; `launch` for the start of the run. */
  readonly gates: ReadonlyMap<string, CaseVerdict>;
  readonly costUsd: number;
  readonly calls: readonly CaseCall[];
}
