import { ApiProblem } from "../../client/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { type Query, useQuery } from "../live/use-query.ts";
import type { ManifestKind } from "./manifest-kind.ts";
import { bodySchema, stepSchema, withStepFields } from "./spec-schema.ts";

let document: Promise<JsonObject> | null = null;

/** Loads the server's OpenAPI document, which is built from the schemas of its checks. Loaded once per page. */
function readDocument(): Promise<JsonObject> {
  document ??= fetch("/openapi.json").then(async (response) => {
    const body = (await response.json()) as JsonObject;
    if (!response.ok) throw new ApiProblem(body, response);
    return body;
  });
  document.catch(() => {
    document = null;
  });
  return document;
}

async function readSchema(kind: ManifestKind): Promise<JsonObject | null> {
  return kind.collection === "library" ? stepSchema() : withStepFields(bodySchema(await readDocument(), kind));
}

/** Returns the schema of a kind's spec. */
export function useSpecSchema(kind: ManifestKind): Query<JsonObject | null> {
  return useQuery(`schema of ${kind.collection}`, () => readSchema(kind), { freshMs: Infinity });
}
