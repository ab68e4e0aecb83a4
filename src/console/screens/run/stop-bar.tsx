import { type JSX, useEffect, useMemo, useRef } from "react";
import { useSearchParams } from "../../page/router.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { plainText } from "../../../core/text/index.ts";
import { failureCauses, type StopReason, stopReason } from "../../run/model/stop-reason.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";
import "./stop-bar.css";

const ICONS: Readonly<Record<StopReason["tone"], IconName>> = {
  bad: "cross",
  hold: "pause",
  warn: "warn",
  idle: "stop",
};
const NODES_SHOWN = 4;

/** Explains why the run does not continue. */
export function StopBar(): JSX.Element | null {
  const { feed, selectNode } = useRunPage();
  const view = useRunView();
  const { events } = feed.log;
  const reason = useMemo(
    () => stopReason(view, events),
    // Both are changed in place, so the last event is the sign of a change.
    [view, events, view.lastEventId, events.length], // oxlint-disable-line react-hooks/exhaustive-deps
  );
  useOpenCause();
  if (reason === null) return null;
  const { tone, title, detail, nodeIds, followers } = reason;
  return (
    <section className={`stop-bar tone-${tone}`} aria-label="Why it stopped" data-tone={tone}>
      <Icon name={ICONS[tone]} />
      <div className="stop-bar-text">
        <p className="stop-bar-title">
          {plainText(title)}
          {followers > 0 && (
            <span className="stop-bar-followers">
              {followers} {followers === 1 ? "node" : "nodes"} after it did not run
            </span>
          )}
        </p>
        {detail !== null && detail.trim() !== "" && <p className="stop-bar-detail">{plainText(detail)}</p>}
      </div>
      {nodeIds.length > 0 && (
        <span className="stop-bar-nodes">
          {nodeIds.slice(0, NODES_SHOWN).map((id) => (
            <button key={id} type="button" className="stop-bar-node" onClick={() => selectNode(id)}>
              Show {id}
            </button>
          ))}
          {nodeIds.length > NODES_SHOWN && <span>of {nodeIds.length}</span>}
        </span>
      )}
    </section>
  );
}

/** Opens the node that caused a failure automatically: only once, and not when the person has already opened something. */
function useOpenCause(): void {
  const { feed, node, event, selectNode } = useRunPage();
  const view = useRunView();
  const hasTab = useSearchParams().get("tab") !== null;
  const isDone = useRef(false);
  const isFailed = (view.status === "failed" || view.status === "timed_out") && feed.isCaughtUp;
  const isBusy = node !== null || event !== null || feed.pinnedAt !== null || hasTab;
  useEffect(() => {
    if (!isFailed || isDone.current) return;
    isDone.current = true;
    const [cause] = failureCauses(feed.shown);
    if (!isBusy && cause !== undefined) selectNode(cause.id);
  }, [feed, isFailed, isBusy, selectNode]);
}
