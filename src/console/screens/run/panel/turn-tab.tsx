import type { JSX } from "react";
import type { TurnView } from "../../../../client/index.ts";
import { largeValueOf, shownText } from "../../../../core/view/index.ts";
import { useMay } from "../../../live/session-store.ts";
import { Link } from "../../../page/router.tsx";
import { Button } from "../../../parts/button.tsx";
import { grouped } from "../../../parts/figures.ts";
import { Money } from "../../../parts/money.tsx";
import { StatusBadge } from "../../../parts/status.tsx";
import { Duration } from "../../../parts/time-text.tsx";
import { ModelText } from "../../../run/model-text.tsx";
import { useRequestAction } from "../run-action.ts";
import { useRunPage } from "../run-page.ts";
import { Section } from "./section.tsx";
import "./turn-tab.css";

type Round = TurnView["rounds"][number];
type Call = Round["calls"][number];

/** The conversation of an agent: what it said in each round, which tools it called, and what was decided about them. */
export function TurnTab({ turn }: { readonly turn: TurnView }): JSX.Element {
  const { feed } = useRunPage();
  return (
    <>
      <p className="muted num">
        {turn.rounds.length} {turn.rounds.length === 1 ? "round" : "rounds"}, <Money micros={turn.costMicros} />
        {feed.pinnedAt !== null && ", as it is now"}
      </p>
      <ol className="turn">
        {turn.rounds.map((round) => (
          <li key={round.round}>
            <RoundView round={round} nodeId={turn.nodeId} />
          </li>
        ))}
      </ol>
    </>
  );
}

function RoundView({ round, nodeId }: { readonly round: Round; readonly nodeId: string }): JSX.Element {
  const { inputTokens, outputTokens, costMicros, text, calls, model, isCarried, by } = round;
  const request = useRequestAction();
  const { run } = useRunPage();
  const mayBranch = useMay("workflow:execute") && run.block === undefined;
  return (
    <Section
      title={`Round ${round.round}`}
      aside={
        <span className="muted num">
          {model !== null && `${model} · `}
          {grouped(inputTokens)} in · {grouped(outputTokens)} out ·{" "}
          {isCarried ? "carried over" : <Money micros={costMicros} />}
        </span>
      }
    >
      {text.trim() !== "" && <ModelText label={`What it said in round ${round.round}`} text={text} />}
      {calls.map((call) => (
        <CallCard key={call.callId} call={call} />
      ))}
      {by !== null && <p className="note">{by} has changed what the model said.</p>}
      {mayBranch && round.at !== null && (
        <p className="turn-branch">
          <Button size="small" onClick={() => request({ kind: "branch-turn", nodeId, round })}>
            Branch after round {round.round} …
          </Button>
        </p>
      )}
    </Section>
  );
}

function CallCard({ call }: { readonly call: Call }): JSX.Element {
  const { tool, server, args, askedArgs, action, result, approvalId } = call;
  const name = server === null ? tool : `${server}/${tool}`;
  return (
    <article className="turn-call" aria-label={`Call of ${name}`}>
      <div className="spread">
        <h4>
          <code>{name}</code>
          {action !== null && <span className="muted"> {action}</span>}
        </h4>
        <Verdict call={call} />
      </div>
      <ValueText label={`Args of ${name}`} value={args} />
      {askedArgs !== null && (
        <p className="note">
          A person changed the args. The model asked for <code>{shortJson(askedArgs)}</code>
        </p>
      )}
      {call.verdict?.disposition === "deny" && (
        <p className="text-bad">{call.verdict.reason ?? call.verdict.code ?? "It was denied."}</p>
      )}
      {approvalId !== null && (
        <p>
          <Link to={`/approvals?id=${encodeURIComponent(approvalId)}`}>
            {call.verdict?.disposition === "hold" ? "Answer the approval" : "The approval"}
          </Link>
        </p>
      )}
      {result !== null && (
        <>
          <p className={result.isError ? "text-bad" : "muted"}>
            {result.isError ? "Failed" : "Returned"}
            {result.by === null ? (
              <>
                {" after "}
                <Duration from={0} to={result.durationMs} />
              </>
            ) : (
              `, says ${result.by}`
            )}
          </p>
          <ValueText label={`Result of ${name}`} value={result.value} />
        </>
      )}
    </article>
  );
}

function Verdict({ call: { verdict, isUnknown } }: { readonly call: Call }): JSX.Element {
  switch (verdict?.disposition) {
    case undefined:
      return <StatusBadge status="pending" label="Not judged" />;
    case "allow":
      return <StatusBadge status="allow" label="Allowed" />;
    case "deny":
      return <StatusBadge status="block" label="Denied" />;
    case "hold":
      return <StatusBadge status="hold" label={isUnknown ? "Outcome unknown" : "Held"} />;
  }
}

function ValueText({ label, value }: { readonly label: string; readonly value: unknown }) {
  const large = largeValueOf(value);
  return (
    <>
      <ModelText label={label} text={shownText(value)} />
      {large !== null && <p className="muted">Only the beginning of {grouped(large.bytes)} bytes.</p>}
    </>
  );
}

const SHORT_LENGTH = 200;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHORT_LENGTH ? text : `${text.slice(0, SHORT_LENGTH)}…`;
}
