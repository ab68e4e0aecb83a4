/** Why a workflow could not be built. Thrown where the mistake stands, so that the stack leads to its line. */
export class WorkflowError extends Error {
  override readonly name = "WorkflowError";
  readonly code: WorkflowErrorCode;
  /** Where in the definition: `args.repo`, `judge.outputs.label`. */
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
