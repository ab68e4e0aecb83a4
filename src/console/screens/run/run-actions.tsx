import type { JSX } from "react";
import { isTerminal } from "../../../core/event/index.ts";
import { navigate } from "../../page/router.tsx";
import { downloadAddress } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { toast } from "../../parts/toast.tsx";
import { useRequestAction } from "./run-action.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";
import { download } from "./save-as.ts";

/** The actions possible in the present state of the run. The most frequent ones are outside the menu. */
export function RunActions(): JSX.Element {
  const { node, feed, selectNode } = useRunPage();
  useRunView();
  const { newest } = feed;
  const request = useRequestAction();
  const mayExecute = useMay("workflow:execute");
  const mayCancel = useMay("run:cancel");
  const isOver = isTerminal(newest.status);
  const items = useMenuItems();
  const waiting = [...newest.approvals.values()].filter(({ status }) => status === "pending");
  return (
    <div className="row">
      {waiting.length > 0 && (
        <Button kind="primary" icon="approval" onClick={() => selectNode(waiting[0]?.nodeId ?? null)}>
          {waiting.length === 1 ? "1 approval waits" : `${waiting.length} approvals wait`}
        </Button>
      )}
      {mayCancel && !isOver && (
        <Button kind="danger" icon="stop" onClick={() => request({ kind: "cancel" })}>
          Cancel
        </Button>
      )}
      {mayExecute && isOver && newest.status !== "completed" && (
        <Button icon="redo" onClick={() => request({ kind: "restart", fromNode: node })}>
          {node === null ? "Restart" : `Restart from ${node}`}
        </Button>
      )}
      <Menu label="More" items={items} button={{ icon: "more" }} />
    </div>
  );
}

function useMenuItems(): readonly MenuItem[] {
  const { run, node, event, feed } = useRunPage();
  const request = useRequestAction();
  const mayExecute = useMay("workflow:execute");
  const { status, lastEventId } = feed.newest;
  const isOver = isTerminal(status);
  const at = event ?? feed.pinnedAt;
  return [
    {
      label: "Restart",
      icon: "redo",
      isDisabled: !mayExecute || !isOver,
      onSelect: () => request({ kind: "restart", fromNode: null }),
    },
    {
      label: node === null ? "Restart from the selected node" : `Restart from ${node}`,
      icon: "redo",
      isDisabled: !mayExecute || node === null,
      onSelect: () => request({ kind: "restart", fromNode: node }),
    },
    {
      label: "Recover",
      icon: "run",
      isDisabled: !mayExecute || !isOver || status === "completed",
      onSelect: () => request({ kind: "recover" }),
    },
    {
      label: at === null ? "Rewind to the selected event" : `Rewind to event ${at}`,
      icon: "undo",
      isDisabled: !mayExecute || at === null,
      onSelect: () => request({ kind: "rewind", eventId: at ?? 1 }),
    },
    {
      label: at === null ? "Branch with other args" : `Branch from event ${at}`,
      icon: "workflow",
      isDisabled: !mayExecute,
      onSelect: () => request({ kind: "branch", eventId: at ?? Math.max(1, lastEventId) }),
    },
    {
      label: run.sourceRunId === undefined ? "Compare with another run" : "Compare with its origin",
      icon: "compare",
      onSelect: () => navigate(`/runs/${encodeURIComponent(run.id)}/compare`),
    },
    { label: "Copy as a command", icon: "copy", onSelect: () => request({ kind: "commands" }) },
    {
      label: "Copy a link to this view",
      icon: "external",
      onSelect: () => void navigator.clipboard.writeText(location.href).then(() => toast("Copied.")),
    },
    {
      label: "Download the packet",
      icon: "download",
      onSelect: () => download(`${run.id}-packet.json`, downloadAddress(`/runs/${encodeURIComponent(run.id)}/packet`)),
    },
  ];
}
