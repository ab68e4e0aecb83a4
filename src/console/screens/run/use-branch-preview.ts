import { useEffect, useState } from "react";
import type { BranchPreview, NodeEdits } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { api } from "../../live/api.ts";
import { useRunPage } from "./run-page.ts";

/** What a branch begins with that the run did not have. */
export interface BranchChanges extends NodeEdits {
  readonly args?: JsonObject;
}

const TYPING_MS = 300;

/** Which nodes a branch with these changes would keep; null: not known yet, or the changes cannot be used. */
export function useBranchPreview(eventId: number, changes: BranchChanges | null): BranchPreview | null {
  const { run } = useRunPage();
  const [preview, setPreview] = useState<BranchPreview | null>(null);
  const written = changes === null ? null : JSON.stringify(changes);
  useEffect(() => {
    setPreview(null);
    if (written === null) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      const { args, ...edits } = JSON.parse(written) as BranchChanges;
      const found = await api.previewBranch(run.id, eventId, args, edits).catch(() => null);
      if (!isOver) setPreview(found);
    };
    const timer = setTimeout(() => void read(), TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [run.id, eventId, written]);
  return preview;
}
