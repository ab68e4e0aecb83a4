import { useMemo } from "react";
import type { Collection } from "../../client/index.ts";
import type { KnownNames } from "../editor/names.ts";
import { api } from "../live/api.ts";
import { useMay } from "../live/session-store.ts";
import { useQuery } from "../live/use-query.ts";

const NAMES_MAX = 100;

export function useIds(collection: Collection): readonly string[] {
  const isAllowed = useMay("governance:read");
  const { data } = useQuery(
    isAllowed ? `names:${collection}` : null,
    () => api.listRegistered(collection, { limit: NAMES_MAX }),
    { tags: [collection], freshMs: 30_000 },
  );
  return useMemo(() => data?.data.map(({ id }) => id) ?? [], [data]);
}

/** Returns the names registered on the server, for completions in editors and forms. */
export function useKnownNames(): KnownNames {
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
