import type { JSX } from "react";
import { DISPATCH_GATES, LAUNCH_GATES } from "../../../core/governance/index.ts";
import { Panel } from "../../parts/panel.tsx";
import { gateGuide, type GateStory } from "./gate-guide.ts";

/** What is asked before a run is created and before a node is dispatched, in the order it is asked. */
export function GatesTab(): JSX.Element {
  return (
    <div className="stack">
      <p className="muted">
        Gates are asked in this order, and the first that says no decides. They are asked again when a held or retried
        node goes on; a person's yes satisfies only <code>approval_required</code>.
      </p>
      <Panel title="Before a node is dispatched" isFlush>
        <Stories gates={gateGuide(DISPATCH_GATES)} />
      </Panel>
      <Panel title="Before a run is created" isFlush>
        <Stories gates={gateGuide(LAUNCH_GATES)} />
      </Panel>
    </div>
  );
}

function Stories({ gates }: { readonly gates: readonly GateStory[] }): JSX.Element {
  return (
    <ol className="governance-gates">
      {gates.map(({ name, asks, reads, otherwise, unblocks }, index) => (
        <li key={name}>
          <span className="governance-gate-number num" aria-hidden="true">
            {index + 1}
          </span>
          <div>
            <code>{name}</code>
            <p>{asks}</p>
          </div>
          <dl>
            <dt>Reads</dt>
            <dd>{reads}</dd>
            <dt>If not</dt>
            <dd>{otherwise}</dd>
            <dt>Unblocked</dt>
            <dd>{unblocks}</dd>
          </dl>
        </li>
      ))}
    </ol>
  );
}
