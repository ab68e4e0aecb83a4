import { type JSX, useState } from "react";
import { jsonToText } from "../../../../core/base/index.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Select } from "../../../parts/select.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { plainText } from "../../../../core/text/index.ts";
import { useRunPage } from "../run-page.ts";
import { ModelText } from "../../../run/model-text.tsx";
import type { DetailedNode } from "../../../run/model/node-detail.ts";
import { Section } from "./section.tsx";

interface TabProps {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
}

const LEVELS = ["debug", "info", "warning", "error"] as const;

/** The log lines of the node and its adapter. */
export function LogsTab({ detail }: TabProps): JSX.Element {
  if (detail === undefined) return <Skeleton lines={5} />;
  const logs = detail.attempts.flatMap(({ attempt, logs: list }) => list.map((entry) => ({ attempt, ...entry })));
  const reported = detail.attempts.flatMap(({ attempt, adapterLogs }) =>
    adapterLogs.map((entry) => ({ attempt, entry })),
  );
  if (logs.length === 0 && reported.length === 0) {
    return <Empty icon="audit" title="Nothing was logged" />;
  }
  return (
    <>
      {logs.length > 0 && <Logs logs={logs} />}
      {reported.length > 0 && (
        <Section title="Adapter">
          <ModelText label="Adapter log" text={reported.map(({ entry }) => JSON.stringify(entry)).join("\n")} />
        </Section>
      )}
    </>
  );
}

type Logged = DetailedNode["attempts"][number]["logs"][number] & { readonly attempt: number };

function Logs({ logs }: { readonly logs: readonly Logged[] }): JSX.Element {
  const { selectEvent } = useRunPage();
  const [least, setLeast] = useState<(typeof LEVELS)[number]>("debug");
  const [text, setText] = useState("");
  const wanted = logs.filter(
    ({ level, message }) =>
      LEVELS.findIndex((each) => each === level) >= LEVELS.indexOf(least) &&
      message.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <Section
      title="Logs"
      aside={
        <span className="row">
          <Select aria-label="Minimum level" value={least} options={LEVELS} onChange={setLeast} />
          <input
            type="search"
            aria-label="Search logs"
            placeholder="Search"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      }
    >
      <ol className="logs">
        {wanted.map(({ eventId, attempt, level, message, detail: more }) => (
          <li key={eventId} className={`log-${level}`}>
            <button
              type="button"
              className="link-button num"
              title="Show the event"
              onClick={() => selectEvent(eventId)}
            >
              {eventId}
            </button>
            <span className="log-level">{level}</span>
            <span className="log-text">
              {plainText(message)}
              {more !== undefined && <span className="muted"> {plainText(jsonToText(more))}</span>}
            </span>
            {attempt > 1 && <span className="muted">#{attempt}</span>}
          </li>
        ))}
      </ol>
    </Section>
  );
}
