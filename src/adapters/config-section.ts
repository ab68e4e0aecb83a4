import type { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";

/** Checks an adapter's section of the configuration. Throws an error that lists every mistake with its place. */
export function readConfigSection<T>(schema: z.ZodType<T>, section: JsonObject, provider: string): T {
  const parsed = schema.safeParse(section);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
  );
  throw new Error(`The configuration of the adapter "${provider}" has mistakes: ${mistakes.join("; ")}`);
}
