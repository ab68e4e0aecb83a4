import { type JSX, useState } from "react";
import type { Relaunched } from "../../../client/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/index.ts";
import { diffLines, hunksOf } from "../../../core/text/index.ts";
import { relaunchText } from "../../../core/view/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { Link, navigate } from "../../page/router.tsx";
import { useAction } from "../../page/use-action.ts";
import { compareAddress } from "../../parts/compare-address.ts";
import { DiffView } from "../../parts/diff-view.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Select } from "../../parts/select.tsx";
import { toast } from "../../parts/toast.tsx";
import type { EditOutput, EditPrompt } from "./run-action.ts";
import { useRunPage } from "./run-page.ts";
import { useBranchPreview } from "./use-branch-preview.ts";

const BEGINNING = "beginning";

/** Starts a new run in which the prompt of a node is edited. The node begins again, or continues after one of its rounds. */
export function EditPromptDialog({ action, onClose }: { readonly action: EditPrompt; readonly onClose: () => void }) {
  const { nodeId, text: before, rounds } = action;
  const { run, feed } = useRunPage();
  const eventId = feed.pinnedAt ?? Math.max(1, feed.newest.lastEventId);
  const [text, setText] = useState(before);
  const [from, setFrom] = useState(BEGINNING);
  const isReady = text !== before && text.trim() !== "";
  const isFromBeginning = from === BEGINNING;
  const edits = { prompts: { [nodeId]: text } };
  const preview = useBranchPreview(eventId, isReady && isFromBeginning ? edits : null);
  const starting = useAction(async () => {
    const next = isFromBeginning
      ? await api.branchRun(run.id, eventId, undefined, edits)
      : await api.branchInTurn(run.id, { node: nodeId, round: Number(from), prompt: text });
    show(run.id, nodeId, next);
  });
  const act = async (): Promise<void> => {
    if (await starting.run()) onClose();
  };
  return (
    <FormDialog
      title={`Edit the prompt of ${nodeId} and replay`}
      verb="Start the replay"
      isReady={isReady}
      action={starting}
      onAct={() => void act()}
      onClose={onClose}
    >
      <p>
        A new run starts in which {nodeId} is asked this, word for word: references are not filled again. It passes all
        gates anew; this run stays as it is.
      </p>
      <Field label={`What ${nodeId} is asked`} problem={text.trim() === "" ? "A node cannot be asked nothing." : null}>
        <textarea rows={rowsOf(text)} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      {rounds.length > 0 && (
        <Field label="Continue from" hint="Rounds before that are kept as they were, and not paid again">
          <Select value={from} options={startsOf(rounds)} onChange={setFrom} />
        </Field>
      )}
      <Difference before={before} after={text} />
      <p role="status" className="muted">
        {isFromBeginning
          ? preview === null
            ? ""
            : `In the new run: ${relaunchText(preview)}.`
          : `Rounds up to ${from} of ${nodeId} are carried over; all that depends on ${nodeId} runs again.`}
      </p>
    </FormDialog>
  );
}

/** Starts a new run with edited outputs for a completed node. */
export function EditOutputDialog({ action, onClose }: { readonly action: EditOutput; readonly onClose: () => void }) {
  const { nodeId, outputs, text: said } = action;
  const { run, feed } = useRunPage();
  const eventId = feed.pinnedAt ?? Math.max(1, feed.newest.lastEventId);
  const isText = Object.keys(outputs).length === 0;
  const before = isText ? said : JSON.stringify(outputs, null, 2);
  const [text, setText] = useState(before);
  const given = isText ? { stdout: text } : readOutputs(text);
  const edits = given === null || text === before ? null : { outputs: { [nodeId]: given } };
  const preview = useBranchPreview(eventId, edits);
  const starting = useAction(async () => {
    if (edits !== null) show(run.id, nodeId, await api.branchRun(run.id, eventId, undefined, edits));
  });
  const act = async (): Promise<void> => {
    if (await starting.run()) onClose();
  };
  return (
    <FormDialog
      title={`Edit the result of ${nodeId} and replay`}
      verb="Start the replay"
      isReady={edits !== null}
      action={starting}
      onAct={() => void act()}
      onClose={onClose}
    >
      <p>
        A new run starts in which {nodeId} has returned this. It is not run again; what depends on it is, and passes all
        gates anew. This run stays as it is.
      </p>
      <Field
        label={`What ${nodeId} returned`}
        hint={isText ? undefined : "JSON"}
        problem={given === null ? "This must be a JSON object." : null}
      >
        <textarea
          className={isText ? "" : "mono"}
          rows={rowsOf(text)}
          spellCheck={isText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <Difference before={before} after={text} />
      <p role="status" className="muted">
        {preview === null ? "" : `In the new run: ${relaunchText(preview)}.`}
      </p>
    </FormDialog>
  );
}

const ROWS_MAX = 14;

function rowsOf(text: string): number {
  return Math.min(ROWS_MAX, text.split("\n").length + 2);
}

function startsOf(rounds: EditPrompt["rounds"]): readonly (readonly [string, string])[] {
  return [
    [BEGINNING, "The beginning"] as const,
    ...rounds.map((round) => [String(round), `After round ${round}`] as const),
  ];
}

function Difference({ before, after }: { readonly before: string; readonly after: string }): JSX.Element | null {
  if (before === after) return null;
  return (
    <section aria-label="What differs">
      <DiffView hunks={hunksOf(diffLines(before, after))} />
    </section>
  );
}

function readOutputs(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Shows the new run, with a link to the comparison. */
function show(origin: string, nodeId: string, next: Relaunched): void {
  cache.invalidate("runs");
  toast(
    <>
      A replay has started; {relaunchText(next)}. <Link to={compareAddress(origin, next.id)}>Compare the two runs</Link>
    </>,
  );
  navigate(`/runs/${encodeURIComponent(next.id)}?node=${encodeURIComponent(nodeId)}`);
}
