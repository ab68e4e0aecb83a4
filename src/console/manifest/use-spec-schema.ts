import { useEffect, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import type { ManifestKind } from "./manifest-kind.ts";
import { bodySchema, stepSchema, withStepFields } from "./spec-schema.ts";

let document: Promise<JsonObject> | null = null;

/** The server's OpenAPI document, made of the schemas it checks with. Read once per page. */
function readDocument(): Promise<JsonObject> {
  document ??= fetch("/openapi.json").then(async (response) => (await response.json()) as JsonObject);
  document.catch(() => {
    document = null;
  });
  return document;
}

/** What a spec of a kind may hold; null until it has been read. */
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
