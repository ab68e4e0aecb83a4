import { type JSX, useState, useSyncExternalStore } from "react";
import { plainText } from "../../../../core/text/index.ts";
import type { NodeView } from "../../../../core/view/index.ts";
import { Link } from "../../../page/router.tsx";
import { nodeLook, StatusIcon } from "../../../parts/status.tsx";
import type { RunFeed } from "../../../run/model/run-feed.ts";
import { useRunFeed } from "../use-run-feed.ts";

/** The current steps of a block, each with its own block below it. */
export function StepsInside({ runId }: { readonly runId: string }): JSX.Element {
  const { feed, problem } = useRunFeed(runId, 0);
  if (feed === null) return <p className="muted">{problem === null ? "…" : problem.message}</p>;
  return <Steps runId={runId} feed={feed} />;
}

function Steps({ runId, feed }: { readonly runId: string; readonly feed: RunFeed }): JSX.Element {
  useSyncExternalStore(feed.onLists, feed.version);
  const { blocks } = feed.facts;
  return (
    <ul className="steps-inside">
      {[...feed.shown.nodes.values()].map((node) => (
        <li key={node.id}>
          <Link className="neighbour" to={`/runs/${encodeURIComponent(runId)}?node=${encodeURIComponent(node.id)}`}>
            <StatusIcon status={nodeLook(node)} size={13} />
            {plainText(node.title)}
          </Link>
          <span className="muted"> {whyOf(node)}</span>
          <Deeper runId={blocks.get(node.id)} />
        </li>
      ))}
    </ul>
  );
}

function whyOf({ errorCode, isHandled }: NodeView): string {
  if (errorCode === null) return "";
  return isHandled ? `handled, ${errorCode}` : errorCode;
}

/** The blocks inside a step. They are read only when opened, because the list may be long. */
function Deeper({ runId }: { readonly runId: string | undefined }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (runId === undefined) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Steps inside</summary>
      {isOpen && <StepsInside runId={runId} />}
    </details>
  );
}
