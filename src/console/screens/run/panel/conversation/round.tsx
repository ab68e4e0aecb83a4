import type { JSX } from "react";
import { useMay } from "../../../../live/session-store.ts";
import { Button } from "../../../../parts/button.tsx";
import { grouped } from "../../../../parts/figures.ts";
import { Money } from "../../../../parts/money.tsx";
import { TimeText } from "../../../../parts/time-text.tsx";
import { ModelMarkdown } from "../../../../run/model-markdown.tsx";
import { type TurnRound, useRequestAction } from "../../run-action.ts";
import { useRunPage } from "../../run-page.ts";
import { Message } from "./message.tsx";
import { ToolCall } from "./tool-call.tsx";

interface RoundProps {
  readonly round: TurnRound;
  readonly nodeId: string;
  readonly isRaw: boolean;
}

/** The model's text in a round, then the tool calls it made. */
export function Round({ round, nodeId, isRaw }: RoundProps): JSX.Element {
  const { inputTokens, outputTokens, costMicros, text, calls, model, isCarried, at } = round;
  return (
    <>
      <Message
        role="assistant"
        label={`Round ${round.round}`}
        title={<span className="muted">round {round.round}</span>}
        aside={
          <>
            {model !== null && `${model} · `}
            {grouped(inputTokens)} in · {grouped(outputTokens)} out ·{" "}
            {isCarried ? "carried over" : <Money micros={costMicros} />}
            {at !== null && (
              <>
                {" · "}
                <TimeText at={at} />
              </>
            )}
          </>
        }
      >
        {() => (
          <>
            {text.trim() === "" ? (
              <p className="muted">No words, only calls.</p>
            ) : (
              <ModelMarkdown label={`What it said in round ${round.round}`} text={text} isRaw={isRaw} />
            )}
            <RoundEnd round={round} nodeId={nodeId} />
          </>
        )}
      </Message>
      {calls.map((call) => (
        <ToolCall key={call.callId} call={call} />
      ))}
    </>
  );
}

function RoundEnd({ round, nodeId }: Omit<RoundProps, "isRaw">): JSX.Element {
  const request = useRequestAction();
  const { run } = useRunPage();
  const mayBranch = useMay("workflow:execute") && run.block === undefined;
  return (
    <>
      {round.by !== null && <p className="note">{round.by} has changed what the model said.</p>}
      {mayBranch && round.at !== null && (
        <Button size="small" kind="quiet" icon="redo" onClick={() => request({ kind: "branch-turn", nodeId, round })}>
          Branch after round {round.round} …
        </Button>
      )}
    </>
  );
}
