/** `repeat`: a step is done in rounds, one after the other, until a condition holds. */
import { LIMITS, type TreePath } from "../base/index.ts";
import type { ParsedExpression } from "../expression/index.ts";
import { parseDuration } from "./duration.ts";
import { isWritten, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { byKind, choice, nameOf, number, type Shape } from "./shape.ts";
import { duration, expression } from "./text-shape.ts";

export const ON_EXHAUSTED = ["fail", "continue"] as const;

export interface Repeat {
  /** Judged after each completed round. */
  readonly until: ParsedExpression;
  /** Rounds at most. */
  readonly max: number;
  /** From the end of a round to the next; null: at once. */
  readonly everyMs: number | null;
  /** What happens when the last round has not met the condition. */
  readonly onExhausted: (typeof ON_EXHAUSTED)[number];
}

/** As it is written: a condition that is wrong has been reported. */
export type WrittenRepeat = Omit<Repeat, "until"> & { readonly until: ParsedExpression | null };

const every: Shape<number> = {
  read(value, path, report) {
    if (typeof value !== "number" && typeof value !== "string") return duration.read(value, path, report);
    const ms = parseDuration(value);
    if (ms !== undefined) return ms;
    const message = `${nameOf(path)} must be above 0 and at most 30 days, but it is ${JSON.stringify(value)}.`;
    report.problem("bad_repeat", path, message, { hint: "Write seconds as a number, or a text such as 30s, 15m, 2h." });
    return undefined;
  },
  schema: duration.schema,
};

const REPEAT = record(
  {
    until: optional(expression, "After each round: whether it was the last; it sees outputs, previous and round."),
    max: optional(
      number({
        isInteger: true,
        min: 1,
        max: LIMITS.roundsMax,
        expected: `a whole number from 1 to ${LIMITS.roundsMax}`,
        code: "bad_repeat",
      }),
      "Rounds at most.",
      { default: LIMITS.roundsDefault },
    ),
    every: optional(every, "Time from the end of a round to the beginning of the next."),
    on_exhausted: optional(choice(ON_EXHAUSTED), "What happens when the last round has not met the condition.", {
      default: "fail",
    }),
  },
  { title: "repeat" },
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
