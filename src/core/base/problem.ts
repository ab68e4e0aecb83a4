/** Codes of problems. A problem is bad input as data: description, location and fix. docs/problem-codes.md explains each code. */
export const PROBLEM_CODES = [
  "yaml_empty",
  "yaml_syntax",
  "yaml_encoding",
  "yaml_too_large",
  "yaml_too_deep",
  "yaml_alias",
  "yaml_tag",
  "yaml_duplicate_key",
  "yaml_forbidden_key",
  "yaml_multiple_documents",
  "wrong_type",
  "missing_field",
  "unknown_key",
  "bad_name",
  "bad_id",
  "duplicate_id",
  "reserved_id",
  "unknown_step",
  "unknown_field",
  "unknown_fact",
  "unknown_function",
  "unknown_phase",
  "unknown_role",
  "unknown_library_step",
  "unknown_workflow",
  "unknown_recording",
  "unknown_channel",
  "self_dependency",
  "cycle",
  "missing_command",
  "conflicting_fields",
  "bad_duration",
  "bad_number",
  "bad_enum",
  "bad_expression",
  "type_mismatch",
  "bad_pattern",
  "bad_template",
  "bad_set",
  "bad_script",
  "bad_wait",
  "bad_handler",
  "bad_join",
  "bad_repeat",
  "bad_concurrency",
  "bad_label",
  "bad_choose",
  "duplicate_else",
  "too_deep",
  "too_many_steps",
  "too_many_edges",
  "orphan_edge",
  "conflicting_merge",
  "text_unstorable",
  "secret_literal",
  "secret_key_missing",
  "secret_out_of_scope",
  "unknown_secret",
  "outbound_refused",
] as const;

export const WARNING_CODES = [
  "reemitted_input",
  "ambiguous_variable",
  "alias_used",
  "legacy_policy",
  "unused_arg",
  "unreachable_condition",
  "unseen_variable",
  "shadowed_fact",
  "text_not_value",
  "tool_action_unknown",
  "function_not_registered",
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];
export type WarningCode = (typeof WARNING_CODES)[number];

/** Line and column start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type PathSegment = string | number;
export type TreePath = readonly PathSegment[];

export interface Problem extends Place {
  readonly code: ProblemCode | WarningCode;
  readonly message: string;
  /** Path as authors write it: `steps[2].on_failure`. Empty for the whole file. */
  readonly path: string;
  readonly hint?: string;
}

export function formatPath(path: TreePath): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}
