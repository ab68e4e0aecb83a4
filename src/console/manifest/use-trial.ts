import { useEffect, useState } from "react";
import { api } from "../live/api.ts";
import { asError } from "../page/use-action.ts";
import type { ManifestKind } from "./manifest-kind.ts";
import { placedProblems, type SpecProblem, type SpecText } from "./spec-text.ts";

export interface Trial {
  readonly problems: readonly SpecProblem[];
  readonly diff: string | null;
  readonly refusal: Error | null;
}

const NOTHING: Trial = { problems: [], diff: null, refusal: null };
const PAUSE_MS = 350;

/** Applies the text as a dry run shortly after the last change. */
export function useTrial(kind: ManifestKind, name: string, { spec, tree }: SpecText, isWanted: boolean): Trial {
  const [trial, setTrial] = useState<Trial>(NOTHING);
  useEffect(() => {
    setTrial((before) => ({ ...before, diff: null, refusal: null }));
    if (!isWanted || spec === null || tree === null) return undefined;
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      const found = await api.apply([{ kind: kind.kind, name, spec }], { dryRun: true }).then(
        ({ applied: [first] }): Trial => ({ problems: [], diff: first?.diff ?? null, refusal: null }),
        (thrown: unknown): Trial => {
          const problem = asError(thrown);
          const problems = placedProblems(problem, tree);
          return problems === null
            ? { problems: [], diff: null, refusal: problem }
            : { problems, diff: null, refusal: null };
        },
      );
      if (isCurrent) setTrial(found);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [kind, name, spec, tree, isWanted]);
  return trial;
}
