import { z } from "zod";
import { json, jsonObject } from "./payload.ts";
import { DECISIONS } from "./status.ts";

/** Stands for a value that is too large to be shown whole. */
export const largeValueSchema = z.object({
  /** Where the value is in the run: `draft.outputs.text`, `args.letter`. */
  $ref: z.string(),
  bytes: z.number().int(),
  /** Hexadecimal. */
  sha256: z.string(),
  /** The beginning of its text. */
  preview: z.string(),
});
export type LargeValue = z.infer<typeof largeValueSchema>;
const shownText = z.union([z.string(), largeValueSchema]);

export const SHOWN_KINDS = ["value", "text", "markdown", "table", "image", "file", "diff"] as const;
export type ShownKind = (typeof SHOWN_KINDS)[number];

/** A value the author chose for the person who answers; a diff has `before` and `after` instead of `value`. */
export const shownSchema = z.object({
  label: z.string(),
  kind: z.enum(SHOWN_KINDS),
  value: json.optional(),
  before: json.optional(),
  after: json.optional(),
});
export type Shown = z.infer<typeof shownSchema>;

/**
 * What the person who answers an approval is shown, as it was when the approval opened. A value over 64 KiB stands as
 * `LargeValue`, and what looks like a secret is hidden.
 */
export const subjectSchema = z.object({
  title: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  startedBy: z.string().nullable(),
  trigger: z.string(),
  args: jsonObject,
  /** Null: nothing is sent when it is approved. */
  request: z
    .object({
      provider: z.string().nullable(),
      model: z.string().nullable(),
      message: shownText,
      stdin: shownText.nullable(),
      inputs: jsonObject,
      /** What else is read to make it, by the names under which it can be changed; absent: nothing, or in older logs. */
      reads: jsonObject.optional(),
      tools: z.array(z.string()),
    })
    .nullable(),
  /** The tool call that is made when it is approved; absent: it is about none. */
  call: z
    .object({
      tool: z.string(),
      server: z.string().nullable(),
      args: jsonObject,
      action: z.string(),
      /** Counted from 0. */
      round: z.number().int(),
      /** What the model said before it. */
      words: shownText,
    })
    .optional(),
  shown: z.array(shownSchema),
  /** Outputs of the direct parents. */
  parents: z.record(z.string(), jsonObject),
  costMicros: z.number().int(),
  estimateMicros: z.number().int().nullable(),
  policies: z.array(z.object({ name: z.string(), reason: z.string() })),
  agent: z.object({ id: z.string(), trust: z.union([z.number(), z.string()]).nullable() }).nullable(),
  action: z.string().nullable(),
  /** What happens on each answer, in words. */
  answers: z.array(z.object({ decision: z.enum(DECISIONS), effect: z.string() })),
});
export type Subject = z.infer<typeof subjectSchema>;
