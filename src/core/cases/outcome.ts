import type { JsonObject } from "../base/index.ts";
import type { NodeStatus } from "../event/index.ts";
import type { RUN_ENDINGS } from "./case-schema.ts";

export type CaseEnding = (typeof RUN_ENDINGS)[number];

/** The result of a node. */
export interface NodeOutcome {
  readonly status: NodeStatus;
  readonly attempts: number;
  readonly outputs: JsonObject | null;
  /** The answer of the node as text. */
  readonly text: string | null;
  readonly errorCode: string | null;
}

/** The final verdict of the gates on a node, or on the launch. */
export interface CaseVerdict {
  readonly verdict: "allow" | "block" | "hold";
  readonly gate: string | null;
  readonly code: string | null;
}

/** A call of an adapter, a tool, a person or another workflow. */
export interface CaseCall {
  readonly kind: "node" | "tool" | "person" | "workflow";
  /** Id of the node, as in `CaseOutcome.nodes`. */
  readonly node: string;
  /** Name of the tool or the workflow. */
  readonly name: string | null;
  readonly agent: string | null;
  readonly provider: string | null;
  /** The content of the request, as text. */
  readonly text: string;
  readonly args: JsonObject | null;
}

/** The result of a case. */
export interface CaseOutcome {
  readonly status: CaseEnding;
  readonly errorCode: string | null;
  readonly outputs: JsonObject;
  readonly args: JsonObject;
  /** Results by node. Nodes of blocks and child runs are named `node/inner`. */
  readonly nodes: ReadonlyMap<string, NodeOutcome>;
  /** Verdicts by node. `launch` is the start of the run. */
  readonly gates: ReadonlyMap<string, CaseVerdict>;
  readonly costUsd: number;
  readonly calls: readonly CaseCall[];
}
