import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

interface SentProblem {
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

/** The server answered, and the answer is no. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;
  readonly code: string;
  readonly problems: readonly SentProblem[];
  readonly requestId: string | null;

  constructor(problem: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly problems?: readonly SentProblem[];
    readonly requestId?: string;
  }) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.problems = problem.problems ?? [];
    this.requestId = problem.requestId ?? null;
  }
}
