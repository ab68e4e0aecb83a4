import { type JSX, useState } from "react";
import { Empty } from "../../../parts/empty.tsx";
import { grouped } from "../../../parts/figures.ts";
import { Money } from "../../../parts/money.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { StatusBadge, StatusIcon } from "../../../parts/status.tsx";
import { Duration, TimeText } from "../../../parts/time-text.tsx";
import { useNodeView } from "../../../run/nodes-page.ts";
import { useRunPage } from "../run-page.ts";
import { Countdown } from "./countdown.tsx";
import { ModelText } from "../../../run/model-text.tsx";
import type { DetailedAttempt, DetailedNode } from "../../../run/model/node-detail.ts";
import { Values } from "./prompt-tab.tsx";
import { Pairs, Section } from "./section.tsx";

interface TabProps {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
}

/** The attempts of a node, one at a time, and when the next one begins. */
export function AttemptsTab({ nodeId, detail }: TabProps): JSX.Element {
  const node = useNodeView(nodeId);
  const { feed } = useRunPage();
  const [chosen, setChosen] = useState<number | null>(null);
  if (detail === undefined) return <Skeleton lines={5} />;
  const { attempts } = detail;
  const shown = attempts.find(({ attempt }) => attempt === chosen) ?? attempts.at(-1);
  const until = feed.facts.waits.get(nodeId)?.until ?? null;
  return (
    <>
      {node?.status === "retrying" && until !== null && (
        <p className="why" role="status">
          Attempt {node.attempts + 1} begins
          <Countdown until={until} />
        </p>
      )}
      {shown === undefined ? (
        <Empty icon="ring" title="No attempt yet" />
      ) : (
        <>
          <div className="segments attempts" role="group" aria-label="Attempts">
            {attempts.map(({ attempt, status }) => (
              <button
                key={attempt}
                type="button"
                aria-pressed={attempt === shown.attempt}
                onClick={() => setChosen(attempt)}
              >
                <StatusIcon status={status} size={13} /> {attempt}
              </button>
            ))}
          </div>
          <Attempt attempt={shown} />
        </>
      )}
    </>
  );
}

function Attempt({ attempt }: { readonly attempt: DetailedAttempt }): JSX.Element {
  const { feed } = useRunPage();
  return (
    <>
      <Section title={`Attempt ${attempt.attempt}`} aside={<StatusBadge status={attempt.status} />}>
        <Pairs
          pairs={[
            ["Started", <TimeText key="started" at={attempt.startedAt} />],
            ["Duration", <Duration key="duration" from={attempt.startedAt} to={attempt.endedAt ?? feed.shownAt()} />],
            ["Agent", attempt.route.agentId ?? "–"],
            ["Gateway", attempt.route.gatewayId ?? "–"],
            ["Model", attempt.route.model ?? attempt.route.provider ?? "–"],
            ["Cost", <Money key="cost" micros={attempt.costMicros} />],
            ["Tokens", `${grouped(attempt.inputTokens)} in · ${grouped(attempt.outputTokens)} out`],
          ]}
        />
      </Section>
      {attempt.errorCode !== null && (
        <Section title="Error">
          <p>
            <code className="text-bad">{attempt.errorCode}</code>
          </p>
          {attempt.errorMessage !== null && <ModelText label="Error message" text={attempt.errorMessage} />}
        </Section>
      )}
      {attempt.output !== null && (
        <Section title="Text">
          <ModelText label="Output text" text={attempt.output} />
        </Section>
      )}
      {attempt.output === null && attempt.streamedText !== "" && (
        <Section title="Streamed">
          <ModelText label="Streamed text" text={attempt.streamedText} />
        </Section>
      )}
      {attempt.outputs !== null && Object.keys(attempt.outputs).length > 0 && (
        <Section title="Outputs">
          <Values values={attempt.outputs} />
        </Section>
      )}
    </>
  );
}
