import { useEffect, useMemo, useState } from "react";
import { completeAt, type Offers, type Schemas } from "../../editor/complete.ts";
import { useKnownNames } from "../../manifest/use-known-names.ts";

/** Loads the checker's tables when a person starts writing, because they include the parsers of both formats. */
async function loadSchemas(): Promise<Schemas> {
  const { jsonSchema } = await import("../../../core/definition/index.ts");
  return { lobsterx: jsonSchema("lobsterx"), lensGraph: jsonSchema("lens-graph") };
}

export function useCompletion(): (text: string, offset: number) => Offers | null {
  const known = useKnownNames();
  const [schemas, setSchemas] = useState<Schemas | null>(null);
  useEffect(() => {
    void loadSchemas().then(setSchemas);
  }, []);
  return useMemo(
    () => (text, offset) => (schemas === null ? null : completeAt(text, offset, schemas, known)),
    [schemas, known],
  );
}
