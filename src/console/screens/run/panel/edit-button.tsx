import type { JSX } from "react";
import { useMay } from "../../../live/session-store.ts";
import { Link } from "../../../page/router.tsx";
import { compareAddress } from "../../../parts/compare-address.ts";
import { Button } from "../../../parts/button.tsx";
import { type RunAction, useRequestAction } from "../run-action.ts";
import { useRunPage } from "../run-page.ts";

/** Opens the dialog that edits a value and starts a new run from there. Hidden in a block, because a block cannot be replayed alone. */
export function EditButton({ action }: { readonly action: RunAction }): JSX.Element | null {
  const request = useRequestAction();
  const { run } = useRunPage();
  if (!useMay("workflow:execute") || run.block !== undefined) return null;
  return (
    <Button size="small" kind="quiet" icon="redo" onClick={() => request(action)}>
      Edit and replay …
    </Button>
  );
}

/** States which person edited the value, with a link to the comparison. */
export function EditedNote({ by, what }: { readonly by: string | null; readonly what: string }): JSX.Element | null {
  const { run } = useRunPage();
  if (by === null) return null;
  return (
    <p className="note">
      {by} has edited {what}.{" "}
      {run.sourceRunId !== undefined && (
        <Link to={compareAddress(run.sourceRunId, run.id)}>Compare with the run before</Link>
      )}
    </p>
  );
}
