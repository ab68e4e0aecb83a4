import type { ParsedExpression } from "../expression/index.ts";
import type { Concurrency } from "./concurrency-shape.ts";
import type { RunOutput, Step } from "./definition.ts";

/** Steps inside a step: a workflow without a name, pinned with the file it stands in. */
export interface Block {
  readonly steps: readonly Step[];
  /** What it hands on; null: the outputs of its last steps. */
  readonly outputs: Readonly<Record<string, RunOutput>> | null;
  /** How many with the same key may be under way at a time; null: any number. */
  readonly concurrency: Concurrency | null;
}

/** One alternative of `choose`. */
export interface Branch {
  readonly name: string;
  /** Null: it is taken when no other is. */
  readonly when: ParsedExpression | null;
  readonly block: Block;
}
