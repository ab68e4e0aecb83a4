/** `repeat`: a step is executed in rounds, one after the other, until a condition holds. */
import { LIMITS, type TreePath } from "../base/index.ts";
import type { ParsedExpression } from "../expression/index.ts";
import { isWritten, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { byKind, choice, number, type Shape } from "./shape.ts";
import { durationOr, expression } from "./text-shape.ts";
import { REPEAT_WORDS } from "./foreign-word.ts";

export const ON_EXHAUSTED = ["fail", "continue"] as const;

export interface Repeat {
  /** Condition evaluated after each completed round. */
  readonly until: ParsedExpression;
  /** Maximum number of rounds. */
  readonly max: number;
  /** Delay between two rounds. Null when the next round begins at once. */
  readonly everyMs: number | null;
  /** Reaction when the condition does not hold after the last round. */
  readonly onExhausted: (typeof ON_EXHAUSTED)[number];
}

/** A repeat as it was read. `until` is null when it is invalid, which has been reported. */
export type WrittenRepeat = Omit<Repeat, "until"> & { readonly until: ParsedExpression | null };

const REPEAT = record(
  {
    until: optional(
      expression,
      "Condition evaluated after each round; the last round is the first for which it is true. It reads outputs, previous and round.",
    ),
    max: optional(
      number({
        isInteger: true,
        min: 1,
        max: LIMITS.roundsMax,
        expected: `a whole number from 1 to ${LIMITS.roundsMax}`,
        code: "bad_repeat",
      }),
      "Maximum number of rounds.",
      { default: LIMITS.roundsDefault },
    ),
    every: optional(durationOr("bad_repeat"), "Time between the end of a round and the start of the next."),
    on_exhausted: optional(choice(ON_EXHAUSTED), "Action when the last round has not met the condition.", {
      default: "fail",
    }),
  },
  { title: "repeat", foreign: REPEAT_WORDS },
);

export const repeatShape: Shape<WrittenRepeat> = byKind("a map such as { until: outputs.done, max: 5 }", {
  map: {
    read(value, path, report) {
      const raw = REPEAT.read(value, path, report);
      if (raw === undefined) return undefined;
      const {
        until = null,
        max = LIMITS.roundsDefault,
        every: everyMs = null,
        on_exhausted: onExhausted = "fail",
      } = raw;
      if (!isWritten(value, "until")) reportEndless(path, report);
      return { until, max, everyMs, onExhausted };
    },
    schema: { ...REPEAT.schema, required: ["until"] },
  },
});

function reportEndless(path: TreePath, report: Report): void {
  report.problem("bad_repeat", [...path, "until"], `"repeat" does not say until when.`, {
    at: path,
    hint: "Write repeat: { until: outputs.done }.",
  });
}
