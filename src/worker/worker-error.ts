/** Why a worker cannot work; trying again would not help. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown by a function: the step fails, and is not tried again whatever its retry policy says. */
export class NonRetryable extends Error {
  override readonly name: string = "NonRetryable";
}
