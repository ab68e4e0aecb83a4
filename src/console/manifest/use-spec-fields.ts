import { useEffect, useMemo, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import type { ManifestKind } from "./manifest-kind.ts";
import { fieldsOf, type SpecField } from "./spec-fields.ts";
import { bodySchema, stepSchema } from "./spec-schema.ts";

let document: Promise<JsonObject> | null = null;

/** The server's OpenAPI document, made of the schemas it checks with. Read once per page. */
function readDocument(): Promise<JsonObject> {
  document ??= fetch("/openapi.json").then(async (response) => (await response.json()) as JsonObject);
  document.catch(() => {
    document = null;
  });
  return document;
}

/** The fields of a kind; null until they have been read. */
export function useSpecFields(kind: ManifestKind): readonly SpecField[] | null {
  const [schema, setSchema] = useState<JsonObject | null>(null);
  useEffect(() => {
    let isWanted = true;
    const read = async (): Promise<void> => {
      const found = kind.collection === "library" ? await stepSchema() : bodySchema(await readDocument(), kind);
      if (isWanted) setSchema(found);
    };
    read().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [kind]);
  return useMemo(() => (schema === null ? null : fieldsOf(schema)), [schema]);
}
