import { type JSX, useState } from "react";
import { isTerminal } from "../../../core/event/index.ts";
import { ApiProblem, type Run } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CompareButton } from "../../parts/compare-button.tsx";
import { shortId } from "../../parts/short-id.ts";
import { toast } from "../../parts/toast.tsx";
import { valueLine } from "../../parts/value-line.ts";

interface BulkActionsProps {
  readonly runs: readonly Run[];
  readonly onDone: () => void;
}

/** Cancels or restarts several runs at once. Requires their number to be typed, and a reason, which is stored. */
export function BulkActions({ runs, onDone }: BulkActionsProps): JSX.Element {
  const [asked, setAsked] = useState<"cancel" | "restart" | null>(null);
  const mayCancel = useMay("run:cancel");
  const mayRestart = useMay("workflow:execute");
  const open = runs.filter(({ status }) => !isTerminal(status));
  const ended = runs.filter(({ status }) => isTerminal(status));
  const done = (): void => {
    setAsked(null);
    onDone();
  };
  return (
    <div className="row bulk" role="group" aria-label="For the selected runs">
      <span>
        <strong className="num">{runs.length}</strong> selected
      </span>
      {mayCancel && (
        <Button size="small" kind="danger" icon="stop" disabled={open.length === 0} onClick={() => setAsked("cancel")}>
          Cancel {open.length}
        </Button>
      )}
      {mayRestart && (
        <Button size="small" icon="redo" disabled={ended.length === 0} onClick={() => setAsked("restart")}>
          Restart {ended.length}
        </Button>
      )}
      <CompareButton runs={runs} />
      <Button size="small" kind="quiet" onClick={onDone}>
        Select none
      </Button>
      {asked === "cancel" && (
        <Confirm
          title={`Cancel ${open.length} ${open.length === 1 ? "run" : "runs"}?`}
          verb={`Cancel ${open.length}`}
          phrase={`cancel ${open.length}`}
          reason="required"
          onClose={() => setAsked(null)}
          onConfirm={async (reason) => {
            await each(open, (run) => api.cancelRun(run.id, reason), "cancelled");
            done();
          }}
        >
          Work in flight is cancelled; what it has cost so far stays recorded. <Summary runs={open} />
        </Confirm>
      )}
      {asked === "restart" && (
        <Confirm
          title={`Restart ${ended.length} ${ended.length === 1 ? "run" : "runs"}?`}
          verb={`Restart ${ended.length}`}
          phrase={`restart ${ended.length}`}
          isDangerous={false}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await each(ended, (run) => api.restartRun(run.id), "restarted");
            done();
          }}
        >
          Each starts a new run of the same version with the same args, and passes the gates again.{" "}
          <Summary runs={ended} />
        </Confirm>
      )}
    </div>
  );
}

/** Applies an action to the runs one after the other. A refusal does not stop the rest and is reported at the end. */
async function each(runs: readonly Run[], act: (run: Run) => Promise<unknown>, word: string): Promise<void> {
  let count = 0;
  let refused: unknown = null;
  for (const run of runs) {
    try {
      await act(run);
      count += 1;
    } catch (thrown) {
      if (!(thrown instanceof ApiProblem)) throw thrown;
      refused = thrown;
    }
  }
  cache.invalidate("runs", "run-list");
  toast(`${count} of ${runs.length} ${word}`, count === runs.length ? "ok" : "bad");
  if (count === 0 && refused !== null) throw refused;
}

const LISTED_MAX = 100;

/** Lists exactly the runs that are affected. */
function Summary({ runs }: { readonly runs: readonly Run[] }): JSX.Element {
  return (
    <ul className="bulk-list" aria-label="Runs it is done to" tabIndex={0}>
      {runs.slice(0, LISTED_MAX).map(({ id, workflow, args }) => (
        <li key={id}>
          <strong>{workflow}</strong> <code title={id}>{shortId(id)}</code>{" "}
          <span className="muted">{valueLine(args)}</span>
        </li>
      ))}
      {runs.length > LISTED_MAX && <li>and {runs.length - LISTED_MAX} more</li>}
    </ul>
  );
}
