import { useEffect, useState } from "react";
import type { BranchPreview, NodeEdits } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { api } from "../../live/api.ts";
import { useRunPage } from "./run-page.ts";

/** The changes with which a branch begins, compared with the run. */
export interface BranchChanges extends NodeEdits {
  readonly args?: JsonObject;
}

const TYPING_MS = 300;

/** Returns the nodes that a branch with these changes would keep. Null while loading, or when the changes are not valid. */
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
