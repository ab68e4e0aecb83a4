import type { ParsedExpression } from "../expression/index.ts";
import type { Concurrency } from "./concurrency-shape.ts";
import type { RunOutput, Step } from "./definition.ts";

/** Steps inside a step: a workflow without a name, pinned together with the file that contains it. */
export interface Block {
  readonly steps: readonly Step[];
  /** The outputs of the block. Null when they are the outputs of its last steps. */
  readonly outputs: Readonly<Record<string, RunOutput>> | null;
  /** How many runs of the block with the same key may be open at a time. Null when there is no limit. */
  readonly concurrency: Concurrency | null;
}

/** One alternative of `choose`. */
export interface Branch {
  readonly name: string;
  /** Null when the branch is taken if no other is. */
  readonly when: ParsedExpression | null;
  readonly block: Block;
}
