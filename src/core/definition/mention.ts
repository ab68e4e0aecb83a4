import type { TreePath } from "../base/index.ts";
import type { Path } from "../expression/index.ts";

export type MentionField =
  | "stdin"
  | "command"
  | "condition"
  | "inputs"
  | "with"
  | "for_each"
  | "success_criteria"
  /** The condition of a repeated step. */
  | "until"
  | "show"
  | "form"
  | "name"
  | "set"
  | "cancel"
  | "fail"
  | "wait"
  | "emit"
  /** References of steps inside the step. They see the same names as the step. */
  | "steps"
  /** References of the `finally` steps. */
  | "finally"
  /** The condition of a branch. */
  | "choose"
  /** The condition of a retry. */
  | "on_failure"
  /** The outputs of the document. */
  | "outputs";

/** A reference somewhere in a step. */
export interface Mention {
  readonly path: Path;
  readonly field: MentionField;
  /** The field of the step that contains the reference. */
  readonly about: TreePath;
  /** The path of the text that contains the reference. */
  readonly at: TreePath;
  /** Whether the reference is in an inner step, which reports its problems itself. */
  readonly isInner?: true;
}
