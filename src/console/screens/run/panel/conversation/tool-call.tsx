import type { JSX } from "react";
import type { TurnView } from "../../../../../client/index.ts";
import { largeValueOf, shownText } from "../../../../../core/view/index.ts";
import { Link } from "../../../../page/router.tsx";
import { grouped } from "../../../../parts/figures.ts";
import { StatusBadge } from "../../../../parts/status.tsx";
import { Duration, TimeText } from "../../../../parts/time-text.tsx";
import { ModelText } from "../../../../run/model-text.tsx";
import { Message } from "./message.tsx";

export type Call = TurnView["rounds"][number]["calls"][number];

export function nameOf({ server, tool }: Call): string {
  return server === null ? tool : `${server}/${tool}`;
}

/** A tool call: its args, the verdict of the gates, and its result. */
export function ToolCall({ call }: { readonly call: Call }): JSX.Element {
  const name = nameOf(call);
  const { action, result } = call;
  return (
    <Message
      role="tool"
      label={`Call of ${name}`}
      title={
        <>
          <code>{name}</code>
          {action !== null && <span className="muted"> {action}</span>}
        </>
      }
      aside={
        <>
          <Verdict call={call} />
          {result !== null && result.by === null && (
            <>
              {" "}
              <Duration from={0} to={result.durationMs} />
            </>
          )}
          {result !== null && (
            <>
              {" · "}
              <TimeText at={result.at} />
            </>
          )}
        </>
      }
    >
      {() => <CallBody call={call} name={name} />}
    </Message>
  );
}

function CallBody({ call, name }: { readonly call: Call; readonly name: string }): JSX.Element {
  const { args, askedArgs, result, approvalId, verdict } = call;
  return (
    <div className="message-call">
      <ValueText label={`Args of ${name}, call ${call.callId}`} value={args} />
      {askedArgs !== null && (
        <p className="note">
          A person changed the args. The model asked for <code>{shortJson(askedArgs)}</code>
        </p>
      )}
      {verdict?.disposition === "deny" && (
        <p className="text-bad">{verdict.reason ?? verdict.code ?? "It was denied."}</p>
      )}
      {approvalId !== null && (
        <p>
          <Link to={`/approvals?id=${encodeURIComponent(approvalId)}`}>
            {verdict?.disposition === "hold" ? "Answer the approval" : "The approval"}
          </Link>
        </p>
      )}
      {result !== null && (
        <>
          <p className={result.isError ? "text-bad" : "muted"}>
            {result.isError ? "Failed" : "Returned"}
            {result.by !== null && `, says ${result.by}`}
          </p>
          <ValueText label={`Result of ${name}, call ${call.callId}`} value={result.value} />
        </>
      )}
    </div>
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

function ValueText({ label, value }: { readonly label: string; readonly value: unknown }): JSX.Element {
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
