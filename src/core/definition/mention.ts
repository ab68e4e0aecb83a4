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
  /** Of steps inside it, which see what it sees. */
  | "steps"
  /** Of steps that come after all others. */
  | "finally"
  /** The condition of a branch. */
  | "choose"
  /** The condition of a retry. */
  | "on_failure"
  /** Of the document. */
  | "outputs";

/** A reference somewhere in a step. */
export interface Mention {
  readonly path: Path;
  readonly field: MentionField;
  /** The field of the step it belongs to. */
  readonly about: TreePath;
  /** The text it stands in. */
  readonly at: TreePath;
  /** Of a step inside this one, which reports what is wrong with it. */
  readonly isInner?: true;
}
