import { useMemo } from "react";
import type { Collection } from "../../client/index.ts";
import type { KnownNames } from "../editor/names.ts";
import { useMay } from "../live/session-store.ts";
import { useRegistered, useWorkflows } from "../live/use-registered.ts";

export function useIds(collection: Collection): readonly string[] {
  const { data } = useRegistered(collection, useMay("governance:read"));
  return useMemo(() => data?.map(({ id }) => id) ?? [], [data]);
}

/** Returns the names registered on the server, for completions in editors and forms. */
export function useKnownNames(): KnownNames {
  const agents = useIds("agents");
  const models = useIds("models");
  const library = useIds("library");
  const lenses = useIds("lenses");
  const workflows = useWorkflows();
  return useMemo(
    () => ({
      agents,
      models,
      library,
      lenses,
      tools: [],
      workflows: workflows.data?.map(({ name }) => name) ?? [],
    }),
    [agents, models, library, lenses, workflows.data],
  );
}
