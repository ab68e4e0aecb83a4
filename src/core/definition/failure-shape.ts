import type { ParsedExpression } from "../expression/index.ts";
import { ON_FAILURE, type OnFailure, type RetryBlock } from "./definition.ts";
import { optional, record } from "./record.ts";
import { RETRY, RETRY_DEFAULTS, retryBlock } from "./retry-shape.ts";
import { byKind, choice, refine, type Shape } from "./shape.ts";
import { expression } from "./text-shape.ts";
import { RETRY_WORDS } from "./foreign-word.ts";

/** The reaction to a failed step, written as a word or in full. */
export interface FailureRule {
  readonly word: OnFailure;
  /** Null when the word alone determines the retries. */
  readonly retry: RetryBlock | null;
  readonly retryIf: ParsedExpression | null;
}

const FAILURE_ALIASES: Readonly<Record<string, OnFailure>> = {
  fail: "halt",
  abort: "halt",
  continue: "skip",
  manual: "retry_once_then_escalate",
};

const THEN: Readonly<Record<"halt" | "skip" | "escalate", OnFailure>> = {
  halt: "halt",
  skip: "skip",
  escalate: "retry_once_then_escalate",
};

/** The number of attempts with the word `retry`. */
const ATTEMPTS = 4;

const retry = record(
  {
    ...RETRY,
    if: optional(expression, "Condition for a retry. It reads error.code, .message, .attempts and .class."),
  },
  { title: "retry", isCamelAccepted: true, foreign: RETRY_WORDS },
);

export const failureRule: Shape<FailureRule> = byKind("a word such as halt, or a map with retry and then", {
  text: refine(choice(ON_FAILURE, FAILURE_ALIASES), (word) => ({ word, retry: null, retryIf: null })),
  map: refine(
    record(
      {
        retry: optional(retry, "Number of attempts, and the failures that are retried."),
        // oxlint-disable-next-line unicorn/no-thenable -- a key of the format, and never awaited
        then: optional(choice(["halt", "skip", "escalate"]), "Action when there is no further retry.", {
          default: "halt",
        }),
      },
      { title: "on_failure" },
    ),
    ({ retry: tried, then = "halt" }): FailureRule => {
      const once = then === "escalate" ? RETRY_DEFAULTS : null;
      const block = tried === undefined ? once : retryBlock(tried, ATTEMPTS);
      return { word: THEN[then], retry: block, retryIf: tried?.if ?? null };
    },
  ),
});
