/** Why an input was not taken; nothing has changed. Edges turn it into a status and a sentence. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export function refuse(code: string, message: string): Refusal {
  return { code, message };
}
