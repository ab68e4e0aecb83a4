/** Basic parts of event payloads. */
import { z } from "zod";
import type { Json } from "../base/index.ts";

export const json: z.ZodType<Json> = z.json();
export const jsonObject = z.record(z.string(), json);
export const count = z.number().int().nonnegative();
/** Millionths of a dollar. */
export const micros = z.number().int();
export const at = z.number().int();
export const onNode = { nodeId: z.string(), attempt: count.optional() };
