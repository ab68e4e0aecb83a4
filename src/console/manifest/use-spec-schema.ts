import { useEffect, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import type { ManifestKind } from "./manifest-kind.ts";
import { bodySchema, stepSchema, withStepFields } from "./spec-schema.ts";

let document: Promise<JsonObject> | null = null;

/** Loads the server's OpenAPI document, which is built from the schemas of its checks. Loaded once per page. */
function readDocument(): Promise<JsonObject> {
  document ??= fetch("/openapi.json").then(async (response) => (await response.json()) as JsonObject);
  document.catch(() => {
    document = null;
  });
  return document;
}

/** Returns the schema of a kind's spec. Null until it is loaded. */
export function useSpecSchema(kind: ManifestKind): JsonObject | null {
  const [schema, setSchema] = useState<JsonObject | null>(null);
  useEffect(() => {
    let isWanted = true;
    const read = async (): Promise<void> => {
      const found =
        kind.collection === "library"
          ? await stepSchema()
          : await withStepFields(bodySchema(await readDocument(), kind));
      if (isWanted) setSchema(found);
    };
    read().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [kind]);
  return schema;
}
