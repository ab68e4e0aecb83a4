import type { JSX } from "react";
import { navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/toast.tsx";
import type { DrawnPlan } from "./check/protocol.ts";
import { copyOf } from "./copy-of.ts";

/** An edited text with its saved version. */
export interface SavedText {
  readonly name: string;
  /** The newest saved version. Null when the workflow has none. */
  readonly saved: string | null;
  readonly draft: string;
  readonly isLocked?: boolean;
  /** Whether the lines of the saved version end as in Windows. They are edited without that, and saved with it. */
  readonly hasReturns?: boolean;
  /** Whether code produces this workflow and would overwrite changes. Then only a copy under another name can be edited here. */
  readonly isFromCode?: boolean;
  readonly onChange: (text: string) => void;
  readonly onSaved: () => void;
}

export type Saving = ReturnType<typeof useAction<[]>>;

export function useSaving(
  { name, saved, draft, isLocked = false, hasReturns = false, isFromCode = false, onSaved }: SavedText,
  plan: DrawnPlan | null,
): Saving {
  const target = plan?.name ?? name;
  return useAction<[]>(async () => {
    if (isLocked || draft === saved || (isFromCode && target === name)) return;
    const source = hasReturns ? draft.replaceAll("\n", "\r\n") : draft;
    const made = await api.saveWorkflow(target, source);
    cache.put(`version:${target}:${made.version}`, {
      ...made,
      source,
      savedAt: new Date().toISOString(),
      plan: null,
    });
    cache.invalidate("workflows", `workflow:${target}`);
    await cache.refresh(`workflow:${target}`);
    onSaved();
    toast(`Saved ${target}, version ${made.version}.`);
    if (saved !== null && target !== name) navigate(`/workflows/${encodeURIComponent(target)}?tab=editor`);
  });
}

interface SaveBarProps extends SavedText {
  readonly plan: DrawnPlan | null;
  readonly isBroken: boolean;
  /** Number of errors that must be fixed before saving. */
  readonly errors: number;
  /** Shows the first error. */
  readonly onFix: () => void;
  readonly saving: Saving;
}

export function SaveBar({
  name,
  saved,
  draft,
  isLocked = false,
  isFromCode = false,
  onChange,
  plan,
  isBroken,
  errors,
  onFix,
  saving,
}: SaveBarProps): JSX.Element {
  const mayWrite = useMay("workflow:write");
  const isChanged = draft !== saved;
  const isRenamed = saved !== null && plan !== null && plan.name !== name;
  if (isFromCode && saved !== null && !isChanged) {
    return (
      <div className="spread">
        <span className="muted">Written in code: it can only be read here.</span>
        <Button icon="copy" disabled={!mayWrite} onClick={() => onChange(copyOf(saved, name))}>
          Copy to edit
        </Button>
      </div>
    );
  }
  return (
    <div className="spread">
      <span className="row">
        <span className="muted">
          {!mayWrite ? "You may read but not save." : isChanged ? "Not saved yet." : "Saved."}
        </span>
        {mayWrite && isChanged && errors > 0 && (
          <Button kind="quiet" size="small" icon="warn" onClick={onFix}>
            {errors === 1 ? "1 problem to fix" : `${errors} problems to fix`}
          </Button>
        )}
      </span>
      <span className="row">
        {saved !== null && isChanged && (
          <Button icon="undo" onClick={() => onChange(saved)}>
            Discard
          </Button>
        )}
        <Button
          kind="primary"
          icon="check"
          isBusy={saving.isBusy}
          disabled={!mayWrite || isLocked || !isChanged || isBroken || (isFromCode && !isRenamed)}
          onClick={() => void saving.run()}
        >
          {isRenamed ? `Save as ${plan.name}` : "Save version"}
        </Button>
      </span>
    </div>
  );
}
