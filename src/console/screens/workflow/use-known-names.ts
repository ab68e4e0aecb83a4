import { useEffect, useMemo, useState } from "react";
import type { Collection } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { completeAt, type Offers, type Schemas } from "../../editor/complete.ts";
import type { KnownNames } from "../../editor/names.ts";

const NAMES_MAX = 100;

function useIds(collection: Collection): readonly string[] {
  const isAllowed = useMay("governance:read");
  const { data } = useQuery(
    isAllowed ? `names:${collection}` : null,
    () => api.listRegistered(collection, { limit: NAMES_MAX }),
    { tags: [collection], freshMs: 30_000 },
  );
  return useMemo(() => data?.data.map(({ id }) => id) ?? [], [data]);
}

/** What the server has registered, for the editor to offer. */
function useKnownNames(): KnownNames {
  const agents = useIds("agents");
  const models = useIds("models");
  const library = useIds("library");
  const lenses = useIds("lenses");
  const workflows = useQuery("names:workflows", () => api.listWorkflows({ limit: NAMES_MAX }), {
    tags: ["workflows"],
    freshMs: 30_000,
  });
  return useMemo(
    () => ({
      agents,
      models,
      library,
      lenses,
      tools: [],
      workflows: workflows.data?.data.map(({ name }) => name) ?? [],
    }),
    [agents, models, library, lenses, workflows.data],
  );
}

/** The tables of the checker, loaded when a person writes: they bring the readers of both formats along. */
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
