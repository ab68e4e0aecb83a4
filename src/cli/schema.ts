import { jsonSchema } from "../core/definition/index.ts";
import { scriptJsonSchema } from "../core/script/index.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";

export const SCHEMA_FORMATS = ["lobsterx", "lens-graph", "script"] as const;

export function schema(io: Io, format: (typeof SCHEMA_FORMATS)[number]): number {
  io.out.write(`${JSON.stringify(format === "script" ? scriptJsonSchema() : jsonSchema(format), null, 2)}\n`);
  return EXIT.fine;
}
