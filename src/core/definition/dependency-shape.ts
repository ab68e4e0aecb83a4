import type { Json } from "../base/index.ts";
import { DEPENDENCY_OUTCOMES, type DependencyOutcome } from "./dependency.ts";
import { mandatory, optional, record } from "./record.ts";
import { anyText, byKind, choice, nameOf, refine, type Shape } from "./shape.ts";
import { DEPENDENCY_WORDS } from "./foreign-word.ts";

/** A step on which another step depends, with its required outcome. */
export interface Dependency {
  readonly step: string;
  readonly on: DependencyOutcome;
  /** Whether it was written as a map, a form that stored versions do not contain. */
  readonly isMap: boolean;
}

export const dependency: Shape<Dependency> = byKind<Dependency>("the id of a step, or a map with step and on", {
  text: refine(anyText, (step) => ({ step, on: "success", isMap: false })),
  map: refine(
    record(
      {
        step: mandatory(anyText, "Id of the step."),
        on: optional(choice(DEPENDENCY_OUTCOMES), "Outcome of that step that is required for this step to run.", {
          default: "success",
        }),
      },
      { title: "a dependency", foreign: DEPENDENCY_WORDS },
    ),
    ({ step, on = "success" }) => (step === undefined ? undefined : { step, on, isMap: true }),
  ),
});

const EXPECTED = "all, any, or a whole number of steps, 1 or more";

/** The number of dependencies that are enough. Null when the step waits for all. */
export const joinShape: Shape<number | null> = {
  read(value, path, report) {
    if (value === "all") return null;
    if (value === "any") return 1;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
    const message = `${nameOf(path)} must be ${EXPECTED}, but it is ${shown(value)}.`;
    report.problem("bad_join", path, message, { hint: "Write join: any, or join: 2." });
    return undefined;
  },
  schema: { anyOf: [{ enum: ["all", "any"] }, { type: "integer", minimum: 1 }] },
};

function shown(value: Json): string {
  return JSON.stringify(value).slice(0, 80);
}
