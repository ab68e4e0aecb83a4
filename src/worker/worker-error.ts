/** The reason why a worker cannot work. Trying again would not help. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown by a function: the step fails, and is not tried again, regardless of its retry policy. */
export class NonRetryable extends Error {
  override readonly name: string = "NonRetryable";
}
