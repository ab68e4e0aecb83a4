import { type FormEvent, type JSX, useState } from "react";
import type { Approval } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";

/** The person who looks after an approval. The assignee does not change who may answer. */
export function AssigneeView({ approval }: { readonly approval: Approval }): JSX.Element {
  const { id, assignee, status } = approval;
  const mayAssign = useMay("governance:approve") && status === "pending";
  const [isNaming, setNaming] = useState(false);
  const assigning = useAction((to: string | null) => assign(id, to));
  return (
    <div className="row">
      <span>{assignee ?? <span className="muted">No one</span>}</span>
      {mayAssign && (
        <>
          <Button size="small" kind="quiet" isBusy={assigning.isBusy} onClick={() => void assigning.run("me")}>
            Assign to me
          </Button>
          <Button size="small" kind="quiet" onClick={() => setNaming(true)}>
            Assign …
          </Button>
          {assignee !== null && (
            <Button size="small" kind="quiet" isBusy={assigning.isBusy} onClick={() => void assigning.run(null)}>
              Unassign
            </Button>
          )}
        </>
      )}
      {assigning.problem !== null && <ProblemView problem={assigning.problem} />}
      {isNaming && <NameDialog id={id} onClose={() => setNaming(false)} />}
    </div>
  );
}

async function assign(id: string, to: string | null): Promise<void> {
  await api.approvals.assign(id, to);
  cache.invalidate("approvals", "approval-list");
}

function NameDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const assigning = useAction((to: string) => assign(id, to));
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await assigning.run(name.trim())) onClose();
  };
  return (
    <Dialog title="Assign" width="narrow" onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field label="To" hint="user:ann@example.com, role:finance, team:legal or key:NAME">
          <input value={name} required maxLength={205} onChange={(event) => setName(event.target.value)} />
        </Field>
        {assigning.problem !== null && <ProblemView problem={assigning.problem} />}
        <Button kind="primary" type="submit" isBusy={assigning.isBusy}>
          Assign
        </Button>
      </form>
    </Dialog>
  );
}
