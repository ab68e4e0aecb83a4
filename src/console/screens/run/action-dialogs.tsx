import { type JSX, useEffect, useState } from "react";
import type { JsonObject } from "../../../core/base/index.ts";
import { relaunchText } from "../../../core/view/index.ts";
import { navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { sendFile } from "../../live/send-file.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { ArgsForm } from "../../parts/args-form.tsx";
import type { ArgFields } from "../../parts/arg-values.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { toast } from "../../parts/toast.tsx";
import type { RunAction } from "./run-action.ts";
import { commandsFor } from "../../run/model/commands.ts";
import { useRunPage } from "./run-page.ts";
import { TurnBranchDialog } from "./turn-branch-dialog.tsx";
import { EditOutputDialog, EditPromptDialog } from "./edit-dialogs.tsx";
import { useBranchPreview } from "./use-branch-preview.ts";

interface ActionDialogProps {
  readonly action: RunAction;
  readonly onClose: () => void;
}

/** Confirms an action, shows exactly what it will do, and performs it. */
export function ActionDialog({ action, onClose }: ActionDialogProps): JSX.Element {
  switch (action.kind) {
    case "cancel":
      return <CancelDialog onClose={onClose} />;
    case "recover":
      return <RecoverDialog onClose={onClose} />;
    case "restart":
      return <RestartDialog fromNode={action.fromNode} onClose={onClose} />;
    case "rewind":
      return <RewindDialog eventId={action.eventId} onClose={onClose} />;
    case "branch":
      return <BranchDialog eventId={action.eventId} onClose={onClose} />;
    case "branch-turn":
      return <TurnBranchDialog nodeId={action.nodeId} round={action.round} onClose={onClose} />;
    case "edit-prompt":
      return <EditPromptDialog action={action} onClose={onClose} />;
    case "edit-output":
      return <EditOutputDialog action={action} onClose={onClose} />;
    case "commands":
      return <CommandsDialog onClose={onClose} />;
  }
}

interface Closing {
  readonly onClose: () => void;
}

function CancelDialog({ onClose }: Closing): JSX.Element {
  const { run } = useRunPage();
  return (
    <Confirm
      title="Cancel this run"
      verb="Cancel the run"
      reason="optional"
      onClose={onClose}
      onConfirm={async (reason) => {
        await api.cancelRun(run.id, reason === "" ? undefined : reason);
        toast("The run is being cancelled.", "info");
      }}
    >
      Work in flight is stopped, child runs too. Completed results and recorded costs stay.
    </Confirm>
  );
}

function RecoverDialog({ onClose }: Closing): JSX.Element {
  const { run } = useRunPage();
  return (
    <Confirm
      title="Recover this run"
      verb="Recover"
      reason="optional"
      isDangerous={false}
      onClose={onClose}
      onConfirm={async (reason) => {
        await api.recoverRun(run.id, reason === "" ? undefined : reason);
        toast("The run continues.");
      }}
    >
      The same run is reopened, and failed nodes run again. Completed results are kept.
    </Confirm>
  );
}

/** Text of a restart. With or without a chosen node, all failed nodes run again too. */
function restartText(fromNode: string | null): string {
  const again = fromNode === null ? "What did not complete" : `${fromNode}, what did not complete`;
  return `${again} and everything that depends on it run again; all else is carried over and not paid again.`;
}

function RestartDialog({ fromNode, onClose }: Closing & { readonly fromNode: string | null }): JSX.Element {
  const { run } = useRunPage();
  return (
    <Confirm
      title={fromNode === null ? "Restart" : `Restart from ${fromNode}`}
      verb="Start the new run"
      isDangerous={false}
      onClose={onClose}
      onConfirm={async () => {
        const next = await api.restartRun(run.id, fromNode ?? undefined);
        cache.invalidate("runs");
        toast(`A new run has started; ${relaunchText(next)}.`);
        navigate(`/runs/${encodeURIComponent(next.id)}`);
      }}
    >
      A new run of the same version starts. {restartText(fromNode)}
    </Confirm>
  );
}

function RewindDialog({ eventId, onClose }: Closing & { readonly eventId: number }): JSX.Element {
  const { run, travel } = useRunPage();
  return (
    <Confirm
      title={`Rewind to event ${eventId}`}
      verb="Rewind"
      onClose={onClose}
      onConfirm={async () => {
        await api.rewindRun(run.id, eventId);
        travel(null);
        toast(`The run continues from event ${eventId}.`);
      }}
    >
      This run goes back to how it was after event {eventId}. Nodes that settled later are invalidated and run again;
      their events stay in the log.
    </Confirm>
  );
}

function BranchDialog({ eventId, onClose }: Closing & { readonly eventId: number }): JSX.Element {
  const { run } = useRunPage();
  const fields = useArgFields();
  const [args, setArgs] = useState<JsonObject | null>(run.args);
  const preview = useBranchPreview(eventId, args === null ? null : { args });
  const branching = useAction(async () => {
    const next = await api.branchRun(run.id, eventId, args ?? {});
    cache.invalidate("runs");
    toast(`A branch has started; ${relaunchText(next)}.`);
    navigate(`/runs/${encodeURIComponent(next.id)}`);
  });
  const act = async (): Promise<void> => {
    if (await branching.run()) onClose();
  };
  return (
    <FormDialog
      title={`Branch from event ${eventId}`}
      verb="Start the branch"
      isReady={args !== null}
      action={branching}
      onAct={() => void act()}
      onClose={onClose}
    >
      <p>
        A new run starts from how this one was after event {eventId}, with these args. Nodes that read an arg you
        change, and everything that depends on them, run again; all else that had settled by then is carried over and
        not paid again.
      </p>
      {fields === null ? (
        <Skeleton lines={2} height={30} />
      ) : (
        <ArgsForm fields={fields} initial={run.args} onChange={setArgs} sendFile={sendFile} />
      )}
      <p role="status" className="muted">
        {preview === null ? "" : `With these args: ${relaunchText(preview)}.`}
      </p>
    </FormDialog>
  );
}

/** Returns the args that the version declares, or without a version the names of the given args. The checker is loaded on demand. */
function useArgFields(): ArgFields | null {
  const { run } = useRunPage();
  const [fields, setFields] = useState<ArgFields | null>(null);
  useEffect(() => {
    let isOver = false;
    const given = Object.fromEntries(Object.keys(run.args).map((name) => [name, { required: false }]));
    const read = async (): Promise<ArgFields> => {
      if (run.version === null) return given;
      const [{ checkSource }, { source }] = await Promise.all([
        import("../../../core/plan/index.ts"),
        api.getVersion(run.workflow, run.version),
      ]);
      return checkSource(source, { library: null, lenses: null, workflows: null }).plan?.args ?? given;
    };
    void read()
      .catch(() => given)
      .then((found) => {
        if (!isOver) setFields(found);
      });
    return () => {
      isOver = true;
    };
  }, [run]);
  return fields;
}

function CommandsDialog({ onClose }: Closing): JSX.Element {
  const { run, node, event, feed } = useRunPage();
  const [shell, setShell] = useState<"cli" | "curl">("cli");
  const commands = commandsFor({
    origin: location.origin,
    runId: run.id,
    nodeId: node,
    eventId: event ?? feed.pinnedAt,
  });
  return (
    <Dialog title="Copy as a command" width="wide" onClose={onClose}>
      <div className="segments" role="group" aria-label="Kind of command">
        {(["cli", "curl"] as const).map((each) => (
          <button key={each} type="button" aria-pressed={each === shell} onClick={() => setShell(each)}>
            {each === "cli" ? "sluice" : "curl"}
          </button>
        ))}
      </div>
      <div className="stack">
        {commands.map((command) => (
          <div key={command.label}>
            <p className="muted">{command.label}</p>
            <CodeBlock label={command.label} text={command[shell]} />
          </div>
        ))}
      </div>
    </Dialog>
  );
}
