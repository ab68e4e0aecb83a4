import { z } from "zod";
import { json, jsonObject } from "./payload.ts";
import { DECISIONS } from "./status.ts";

/** Represents a value that is too large to be shown completely. */
export const largeValueSchema = z.object({
  /** Path of the value in the run: `draft.outputs.text`, `args.letter`. */
  $ref: z.string(),
  bytes: z.number().int(),
  /** Hexadecimal. */
  sha256: z.string(),
  /** The beginning of the value as text. */
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
 * The subject of an approval, as it was when the approval opened. A value over 64 KiB is replaced by a `LargeValue`, and
 * text that looks like a secret is hidden.
 */
export const subjectSchema = z.object({
  title: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  startedBy: z.string().nullable(),
  trigger: z.string(),
  args: jsonObject,
  /** Null when nothing is sent after approval. */
  request: z
    .object({
      provider: z.string().nullable(),
      model: z.string().nullable(),
      message: shownText,
      stdin: shownText.nullable(),
      inputs: jsonObject,
      /** Other values read to build the request, by the names under which they can be changed. Absent when there are none, and in
       * older logs. */
      reads: jsonObject.optional(),
      tools: z.array(z.string()),
    })
    .nullable(),
  /** The values that can be changed of a step that sends no single request, by name. Absent when there are none, and in older logs. */
  reads: jsonObject.optional(),
  /** The tool call that is made after approval. Absent when the approval is not about a call. */
  call: z
    .object({
      tool: z.string(),
      server: z.string().nullable(),
      args: jsonObject,
      action: z.string(),
      /** Counted from 0. */
      round: z.number().int(),
      /** The model's text before the call. */
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
  /** The effect of each answer, as text for people. */
  answers: z.array(z.object({ decision: z.enum(DECISIONS), effect: z.string() })),
});
export type Subject = z.infer<typeof subjectSchema>;
