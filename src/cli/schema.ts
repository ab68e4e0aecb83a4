import { casesJsonSchema } from "../core/cases/index.ts";
import { jsonSchema } from "../core/definition/index.ts";
import { scriptJsonSchema } from "../core/script/index.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";

export const SCHEMA_FORMATS = ["lobsterx", "lens-graph", "script", "cases"] as const;

type SchemaFormat = (typeof SCHEMA_FORMATS)[number];

export function schemaOf(format: SchemaFormat): object {
  if (format === "script") return scriptJsonSchema();
  return format === "cases" ? casesJsonSchema() : jsonSchema(format);
}

export function schema(io: Io, format: SchemaFormat): number {
  io.out.write(`${JSON.stringify(schemaOf(format), null, 2)}\n`);
  return EXIT.fine;
}
