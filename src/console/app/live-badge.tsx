import type { JSX } from "react";
import { useLiveState } from "../live/connection.ts";
import type { LiveState } from "../live/hub.ts";
import { agoText } from "../parts/figures.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import type { Tone } from "../parts/status.tsx";
import { useNow } from "../parts/ticker.ts";
import "../parts/status.css";

const LOOKS: Readonly<
  Record<LiveState["phase"], { readonly label: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  connecting: { label: "Connecting", tone: "idle", icon: "ring" },
  live: { label: "Live", tone: "ok", icon: "dot" },
  reconnecting: { label: "Reconnecting", tone: "warn", icon: "redo" },
  offline: { label: "Offline", tone: "bad", icon: "cross" },
  "signed-out": { label: "Signed out", tone: "warn", icon: "pause" },
};

/** Shows whether the data on screen is current, and if not, since when. Outdated data is always visible as such. */
export function LiveBadge(): JSX.Element {
  const { phase, since } = useLiveState();
  const now = useNow();
  const { label, tone, icon } = LOOKS[phase];
  const isOld = phase === "reconnecting" || phase === "offline";
  return (
    <span className={`badge tone-${tone}`} role="status" data-live={phase}>
      <Icon name={icon} size={13} />
      {label}
      {isOld && <span className="num">{agoText(since, now)}</span>}
    </span>
  );
}
