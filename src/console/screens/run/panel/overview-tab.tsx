import type { JSX } from "react";
import { isUpstreamFailure, type NodeView } from "../../../../core/view/index.ts";
import { Link } from "../../../page/router.tsx";
import { grouped } from "../../../parts/figures.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Money } from "../../../parts/money.tsx";
import { nodeLook, type NodeLook, StatusIcon } from "../../../parts/status.tsx";
import { Duration, TimeText } from "../../../parts/time-text.tsx";
import { causesOf } from "../../../run/model/causes.ts";
import { NO_SUM } from "../../../run/model/sums.ts";
import { plainText } from "../../../../core/text/index.ts";
import { waitingOf } from "../../../run/model/waiting.ts";
import { useNodeView, useRunView } from "../../../run/nodes-page.ts";
import { useRunPage } from "../run-page.ts";
import { Answers } from "./answers.tsx";
import { ApprovalBox } from "./approval-box.tsx";
import { Countdown } from "./countdown.tsx";
import { Instances } from "./instances.tsx";
import { Gates } from "./gates.tsx";
import { ModelText } from "../../../run/model-text.tsx";
import type { DetailedNode } from "../../../run/model/node-detail.ts";
import { ResolveBox } from "./resolve-box.tsx";
import { Pairs, Section } from "./section.tsx";
import { StepsInside } from "./steps-inside.tsx";

interface TabProps {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
}

/** The state of the node, why it waits and how to continue it, the verdicts of the gates, and its current output. */
export function OverviewTab({ nodeId, detail }: TabProps): JSX.Element | null {
  const node = useNodeView(nodeId);
  const { feed } = useRunPage();
  if (node === undefined) return null;
  const sum = feed.facts.sums.byNode.get(nodeId) ?? NO_SUM;
  const block = feed.facts.blocks.get(nodeId);
  const isWorking = node.status === "running" || node.status === "streaming";
  return (
    <>
      <WhyWaiting node={node} />
      <Failure node={node} />
      {isWorking && node.streamedText !== "" && (
        <Section title="Current output">
          <ModelText label="Streamed text" text={node.streamedText} isGrowing />
        </Section>
      )}
      <Section title="Facts">
        <Pairs
          pairs={[
            ["Layer", node.wave === null ? "–" : node.wave + 1],
            ["Attempts", node.retries > 0 ? `${node.attempts}, tried again ${node.retries}×` : node.attempts],
            ["Started", <TimeText key="started" at={node.startedAt} />],
            [
              "Duration",
              node.durationMs === null ? (
                <Duration key="duration" from={node.startedAt} to={node.completedAt ?? feed.shownAt()} />
              ) : (
                <Duration key="duration" from={0} to={node.durationMs} />
              ),
            ],
            ["Agent", node.agentId ?? "–"],
            ["Model", node.model ?? "–"],
            ["Cost", <Money key="cost" micros={node.costMicros} />],
            [
              "Tokens",
              `${grouped(sum.inputTokens)} in · ${grouped(sum.outputTokens)} out${sum.thinkingTokens > 0 ? ` · ${grouped(sum.thinkingTokens)} thinking` : ""}${sum.cachedTokens > 0 ? ` · ${grouped(sum.cachedTokens)} cached` : ""}`,
            ],
          ]}
        />
        {node.childRunId !== null && block === undefined && (
          <p>
            <Link to={`/runs/${encodeURIComponent(node.childRunId)}`}>Open the child run</Link>
          </p>
        )}
      </Section>
      {block !== undefined && (
        <Section title="Steps inside" aside={<Link to={`/runs/${encodeURIComponent(block)}`}>Open as a page</Link>}>
          <StepsInside key={block} runId={block} />
        </Section>
      )}
      <Instances nodeId={nodeId} />
      <Answers nodeId={nodeId} />
      <Gates nodeId={nodeId} detail={detail} />
      <Relatives nodeId={nodeId} node={node} />
    </>
  );
}

function WhyWaiting({ node }: { readonly node: NodeView }): JSX.Element | null {
  const { feed, nodes, selectNode } = useRunPage();
  const view = useRunView();
  const planned = nodes.find(({ id }) => id === (node.instance?.parent ?? node.id));
  const viewsOf = (ids: readonly string[]): NodeView[] => ids.flatMap((id) => view.nodes.get(id) ?? []);
  const approval = node.approvalId === null ? null : (view.approvals.get(node.approvalId) ?? null);
  const waiting = waitingOf({
    node,
    parents: node.instance === null ? viewsOf(planned?.parents ?? []) : [],
    instances: node.instance === null ? viewsOf(planned?.instances ?? []) : [],
    note: feed.facts.waits.get(node.id) ?? null,
    approval,
  });
  if (waiting === null) return null;
  return (
    <>
      <div className={`why ${waiting.needsPerson ? "is-person" : ""}`} role="status">
        <Icon name={waiting.needsPerson ? "pause" : "clock"} />
        <div>
          <p>
            {plainText(waiting.text)}
            {waiting.until !== null && <Countdown until={waiting.until} />}
          </p>
          {waiting.nodeIds.length > 0 && (
            <p className="row">
              {waiting.nodeIds.slice(0, 6).map((id) => (
                <button key={id} type="button" className="link-button" onClick={() => selectNode(id)}>
                  {id}
                </button>
              ))}
            </p>
          )}
        </div>
      </div>
      {approval !== null && approval.status === "pending" && feed.pinnedAt === null && (
        <>
          {approval.source === "block" && <ResolveBox node={node} />}
          <ApprovalBox approval={approval} />
        </>
      )}
    </>
  );
}

function Failure({ node }: { readonly node: NodeView }): JSX.Element | null {
  if (node.errorCode === null) return null;
  if (isUpstreamFailure(node)) return <NotRun node={node} />;
  return (
    <Section title={node.isHandled ? "What went wrong, and was handled" : "What went wrong"}>
      <p>
        <code className="text-bad">{node.errorCode}</code>
      </p>
      {node.errorMessage !== null && <ModelText label="Error message" text={node.errorMessage} />}
    </Section>
  );
}

/** Shown when the node did not run: lists the failed nodes before it that caused this. */
function NotRun({ node }: { readonly node: NodeView }): JSX.Element {
  const { nodes, selectNode } = useRunPage();
  const view = useRunView();
  const causes = causesOf(node.instance?.parent ?? node.id, nodes, (id) => view.nodes.get(id));
  return (
    <Section title="Not run">
      <p>
        A node before it failed{causes.length === 0 ? "." : ": "}
        {causes.slice(0, 6).map((id) => (
          <button key={id} type="button" className="link-button" onClick={() => selectNode(id)}>
            {id}
          </button>
        ))}
      </p>
    </Section>
  );
}

function lookOfNode(node: NodeView | undefined): NodeLook {
  return node === undefined ? "pending" : nodeLook(node);
}

/** Links to the neighbours in the graph. */
function Relatives({ nodeId, node }: { readonly nodeId: string; readonly node: NodeView }): JSX.Element | null {
  const { nodes, feed, selectNode } = useRunPage();
  const planned = nodes.find(({ id }) => id === nodeId);
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["Instance of", node.instance === null ? [] : [node.instance.parent]],
    ["Parents", planned?.parents ?? []],
    ["Dependents", nodes.filter(({ parents }) => parents.includes(nodeId)).map(({ id }) => id)],
  ];
  if (groups.every(([, ids]) => ids.length === 0)) return null;
  return (
    <Section title="Neighbours">
      {groups
        .filter(([, ids]) => ids.length > 0)
        .map(([name, ids]) => (
          <div key={name} className="neighbours">
            <span className="muted">{name}</span>
            <span className="row">
              {ids.slice(0, 40).map((id) => (
                <button key={id} type="button" className="neighbour" onClick={() => selectNode(id)}>
                  <StatusIcon status={lookOfNode(feed.node(id))} size={13} />
                  {id}
                </button>
              ))}
              {ids.length > 40 && <span className="muted">and {ids.length - 40} more</span>}
            </span>
          </div>
        ))}
    </Section>
  );
}
