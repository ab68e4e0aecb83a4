/** The reason why a workflow could not be built. Thrown at the mistake, so that the stack trace shows its line. */
export class WorkflowError extends Error {
  override readonly name = "WorkflowError";
  readonly code: WorkflowErrorCode;
  /** Path in the definition: `args.repo`, `judge.outputs.label`. */
  readonly path: string;
  readonly hint: string;

  constructor(code: WorkflowErrorCode, path: string, message: string, hint: string) {
    super(message);
    this.code = code;
    this.path = path;
    this.hint = hint;
  }
}

export type WorkflowErrorCode =
  | "bad_reference"
  | "bad_value"
  | "missing_id"
  | "outside_workflow"
  | "schema_unsupported"
  | "wrong_type";
