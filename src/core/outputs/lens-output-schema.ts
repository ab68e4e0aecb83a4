import type { Json, JsonObject } from "../base/index.ts";
import type { LensField, OutputContract } from "../definition/index.ts";

/** Returns the output contract of a lens as JSON Schema for adapters. Null when the contract declares no data. */
export function lensOutputSchema(contract: OutputContract | null): JsonObject | null {
  const entries = Object.entries(contract?.schema ?? {});
  if (entries.length === 0) return null;
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
  };
}

function fieldSchema(field: LensField): JsonObject {
  const isList = field.type === "array";
  const keywords: [string, Json | undefined][] = [
    ...typeKeywords(field.type),
    ["enum", field.enum],
    ["minimum", field.min],
    ["maximum", field.max],
    [isList ? "minItems" : "minLength", field.minLength],
    [isList ? "maxItems" : "maxLength", field.maxLength],
    ["pattern", field.pattern],
    ["items", field.itemType === undefined ? undefined : Object.fromEntries(typeKeywords(field.itemType))],
  ];
  return Object.fromEntries(keywords.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** `any` accepts every value, so it adds no keyword. */
function typeKeywords(type: LensField["type"]): [string, Json][] {
  if (type === "any") return [];
  if (type === "json") return [["type", ["object", "array"]]];
  if (type === "url")
    return [
      ["type", "string"],
      ["format", "uri"],
    ];
  return [["type", type]];
}
