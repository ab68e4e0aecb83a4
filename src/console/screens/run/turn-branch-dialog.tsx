import { type JSX, useMemo, useState } from "react";
import type { BranchEdit } from "../../../client/index.ts";
import type { Json } from "../../../core/base/index.ts";
import { diffLines, hunksOf } from "../../../core/text/index.ts";
import { largeValueOf, relaunchText } from "../../../core/view/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { navigate } from "../../page/router.tsx";
import { useAction } from "../../page/use-action.ts";
import { DiffView } from "../../parts/diff-view.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Select } from "../../parts/select.tsx";
import { toast } from "../../parts/toast.tsx";
import { useRunPage } from "./run-page.ts";
import { openCallOf, type TurnRound } from "./run-action.ts";

interface TurnBranchProps {
  readonly nodeId: string;
  readonly round: TurnRound;
  readonly onClose: () => void;
}

const NOTHING = "nothing";
const WORDS = "words";

/** Starts a new run that continues after a round, optionally with one change in that round. */
export function TurnBranchDialog({ nodeId, round, onClose }: TurnBranchProps): JSX.Element {
  const { run } = useRunPage();
  const open = openCallOf(round);
  const [changed, setChanged] = useState(open?.callId ?? NOTHING);
  const before = useMemo(() => textOf(round, changed), [round, changed]);
  const [text, setText] = useState(before);
  const reading = useMemo(() => readEdit(changed, text), [changed, text]);
  const branching = useAction(async () => {
    const edit = reading.edit === null ? {} : { edit: reading.edit };
    const next = await api.branchInTurn(run.id, { node: nodeId, round: round.round, ...edit });
    cache.invalidate("runs");
    toast(`A branch has started; ${relaunchText(next)}.`);
    navigate(`/runs/${encodeURIComponent(next.id)}?node=${encodeURIComponent(nodeId)}`);
  });
  const act = async (): Promise<void> => {
    if (await branching.run()) onClose();
  };
  const choose = (next: string): void => {
    setChanged(next);
    setText(textOf(round, next));
  };
  const isDifferent = changed !== NOTHING && text !== before;
  return (
    <FormDialog
      title={`Branch after round ${round.round} of ${nodeId}`}
      verb="Start the branch"
      isReady={reading.problem === null && (changed === NOTHING || isDifferent)}
      action={branching}
      onAct={() => void act()}
      onClose={onClose}
    >
      <p>{carriedText(nodeId, round.round)}</p>
      <Field label="What is to be different" hint="One thing of this round">
        <Select value={changed} options={choicesOf(round)} onChange={choose} />
      </Field>
      {changed !== NOTHING && (
        <Field
          label={changed === WORDS ? "What the model said instead" : "What the call returned instead"}
          hint={changed === WORDS ? undefined : "JSON"}
          problem={reading.problem}
        >
          <textarea
            className={changed === WORDS ? "" : "mono"}
            rows={Math.min(12, text.split("\n").length + 1)}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      )}
      {isDifferent && reading.problem === null && (
        <section aria-label="What differs">
          <DiffView hunks={hunksOf(diffLines(before, text))} />
        </section>
      )}
    </FormDialog>
  );
}

function carriedText(nodeId: string, round: number): string {
  const rounds =
    round === 0 ? `Round 0 of ${nodeId} is carried over` : `Rounds 0 to ${round} of ${nodeId} are carried over`;
  return `A new run starts. ${rounds} with the tool calls: no model is paid and no tool is called again for that. So is everything that has settled and does not depend on ${nodeId}, which continues with its next round; all that depends on it runs again.`;
}

function choicesOf({ text, calls }: TurnRound): readonly (readonly [string, string])[] {
  return [
    [NOTHING, "Nothing"],
    ...(text.trim() === "" ? [] : [[WORDS, "What the model said"] as const]),
    ...calls.map(({ callId, tool }, position) => [callId, `Result of ${tool} (call ${position})`] as const),
  ];
}

/** Returns the present text of the part to change, or "" when it is not known here. */
function textOf({ text, calls }: TurnRound, changed: string): string {
  if (changed === NOTHING) return "";
  if (changed === WORDS) return text;
  const value = calls.find(({ callId }) => callId === changed)?.result?.value;
  return value === undefined || largeValueOf(value) !== null ? "" : JSON.stringify(value, null, 2);
}

function readEdit(
  changed: string,
  text: string,
): { readonly edit: BranchEdit | null; readonly problem: string | null } {
  if (changed === NOTHING) return { edit: null, problem: null };
  if (changed === WORDS) return { edit: { message: text }, problem: null };
  try {
    return { edit: { callId: changed, result: JSON.parse(text) as Json }, problem: null };
  } catch {
    return { edit: null, problem: "This must be JSON." };
  }
}
