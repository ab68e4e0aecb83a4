import { type JSX, useState } from "react";
import { Dialog } from "../../../../parts/dialog.tsx";
import { Field } from "../../../../parts/field.tsx";
import { Select } from "../../../../parts/select.tsx";
import { SideDiff } from "../../../../parts/side-diff.tsx";
import { plainText } from "../../../../../core/text/index.ts";
import type { TurnRound } from "../../run-action.ts";
import { nameOf } from "./tool-call.tsx";

interface CompareRoundsProps {
  readonly rounds: readonly TurnRound[];
  readonly onClose: () => void;
}

/** Compares two rounds word by word: the model's text and its tool calls. */
export function CompareRounds({ rounds, onClose }: CompareRoundsProps): JSX.Element {
  const last = rounds.length - 1;
  const [left, setLeft] = useState(String(Math.max(0, last - 1)));
  const [right, setRight] = useState(String(last));
  const options = rounds.map(({ round }, index) => [String(index), `Round ${round}`] as const);
  const textAt = (index: string): string => roundText(rounds[Number(index)]);
  return (
    <Dialog title="Compare rounds" width="wide" onClose={onClose}>
      <div className="compare-rounds">
        <Field label="Left">
          <Select value={left} options={options} onChange={setLeft} />
        </Field>
        <Field label="Right">
          <Select value={right} options={options} onChange={setRight} />
        </Field>
      </div>
      {textAt(left) === textAt(right) ? (
        <p className="muted">Both rounds said and called the same.</p>
      ) : (
        <SideDiff label="Both rounds" left={textAt(left)} right={textAt(right)} />
      )}
    </Dialog>
  );
}

function roundText(round: TurnRound | undefined): string {
  if (round === undefined) return "";
  const calls = round.calls.map(
    (call) => `${nameOf(call)} ${JSON.stringify(call.args)}\n→ ${JSON.stringify(call.result?.value ?? null)}`,
  );
  return plainText([round.text.trim(), ...calls].join("\n"));
}
