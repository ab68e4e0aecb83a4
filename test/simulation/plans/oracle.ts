import { getOwn, type Json, type JsonObject } from "../../../src/core/base/index.ts";

/** What a generated condition asks, kept beside the text so that checkers need no expression evaluator. */
export type ConditionForm =
  | { readonly kind: "above"; readonly step: string; readonly value: number }
  | { readonly kind: "count"; readonly step: string; readonly value: number }
  | { readonly kind: "true"; readonly step: string }
  | { readonly kind: "approved"; readonly step: string }
  | { readonly kind: "mode"; readonly value: string };

/** One incoming edge of a lens node; `equals` null: no condition. */
export interface EdgeForm {
  readonly source: string;
  readonly equals: string | null;
}

/** What the generator knows about the file it wrote. */
export interface Oracle {
  readonly conditions: ReadonlyMap<string, ConditionForm>;
  readonly edges: ReadonlyMap<string, readonly EdgeForm[]>;
}

/** The text of a condition as an author writes it. */
export function writeCondition(form: ConditionForm): string {
  switch (form.kind) {
    case "above":
      return `${form.step}.outputs.n > ${form.value}`;
    case "count":
      return `${form.step}.outputs.count > ${form.value}`;
    case "true":
      return `${form.step}.ok == true`;
    case "approved":
      return `$${form.step}.approved == true`;
    case "mode":
      return `mode == '${form.value}'`;
  }
}

/** Whether the condition holds, judged from recorded outputs and args alone. */
export function judgeCondition(
  form: ConditionForm,
  outputsOf: (step: string) => JsonObject | undefined,
  args: JsonObject,
): boolean {
  if (form.kind === "mode") return getOwn(args, "mode") === form.value;
  const outputs = outputsOf(form.step) ?? {};
  switch (form.kind) {
    case "above":
      return isAbove(getOwn(outputs, "n"), form.value);
    case "count":
      return isAbove(getOwn(outputs, "count"), form.value);
    case "true":
      return getOwn(outputs, "ok") === true;
    case "approved":
      return getOwn(outputs, "approved") === true;
  }
}

function isAbove(value: Json | undefined, limit: number): boolean {
  return typeof value === "number" && value > limit;
}
