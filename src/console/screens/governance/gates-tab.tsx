import type { JSX } from "react";
import { DISPATCH_GATES, LAUNCH_GATES, ROUND_GATES, TOOL_GATES } from "../../../core/governance/index.ts";
import { Panel } from "../../parts/panel.tsx";
import { gateGuide, type GateGuideEntry } from "./gate-guide.ts";

/** Lists the gates, in order, that are checked before a run is created, a node is dispatched, a tool is called or a round begins. */
export function GatesTab(): JSX.Element {
  return (
    <div className="stack">
      <p className="muted">
        Gates are asked in this order, and the first refusal decides. They are asked again when a held or retried node
        continues; an approval satisfies only <code>approval_required</code>.
      </p>
      <Panel title="Before a node is dispatched" isFlush>
        <GateList gates={gateGuide(DISPATCH_GATES)} />
      </Panel>
      <Panel title="Before a tool is called" isFlush>
        <GateList gates={gateGuide(TOOL_GATES)} />
      </Panel>
      <Panel title="Before the next round of a turn" isFlush>
        <GateList gates={gateGuide(ROUND_GATES)} />
      </Panel>
      <Panel title="Before a run is created" isFlush>
        <GateList gates={gateGuide(LAUNCH_GATES)} />
      </Panel>
    </div>
  );
}

function GateList({ gates }: { readonly gates: readonly GateGuideEntry[] }): JSX.Element {
  return (
    <ol className="governance-gates">
      {gates.map(({ name, question, reads, otherwise, fix }, index) => (
        <li key={name}>
          <span className="governance-gate-number num" aria-hidden="true">
            {index + 1}
          </span>
          <div>
            <code>{name}</code>
            <p>{question}</p>
          </div>
          <dl>
            <dt>Facts</dt>
            <dd>{reads}</dd>
            <dt>Otherwise</dt>
            <dd>{otherwise}</dd>
            <dt>Fix</dt>
            <dd>{fix}</dd>
          </dl>
        </li>
      ))}
    </ol>
  );
}
