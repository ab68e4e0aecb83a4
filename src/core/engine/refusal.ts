/** Why an input was not taken; nothing has changed. Edges turn it into a status and a sentence. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** What is wrong with each value that was given; absent: it is about the whole. */
  readonly errors?: readonly FieldError[];
}

export interface FieldError {
  readonly field: string;
  /** Continues the name of the field: `is missing`. */
  readonly message: string;
  readonly hint?: string;
}

export function refuse(code: string, message: string): Refusal {
  return { code, message };
}
