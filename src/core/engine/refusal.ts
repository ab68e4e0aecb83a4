/** The reason why an input was not accepted. Nothing has changed. The server and CLI turn it into a status and a sentence. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The problem with each given value. Absent when the refusal concerns the whole input. */
  readonly errors?: readonly FieldError[];
}

export interface FieldError {
  readonly field: string;
  /** Text that follows the name of the field: `is missing`. */
  readonly message: string;
  readonly hint?: string;
}

export function refuse(code: string, message: string): Refusal {
  return { code, message };
}
