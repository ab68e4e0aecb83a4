import type { JSX, ReactNode } from "react";
import { Icon, type IconName } from "../../../../parts/icon.tsx";
import { WhenNear } from "../../../../parts/when-near.tsx";

export type Role = "system" | "user" | "assistant" | "tool";

const ROLES: Readonly<Record<Role, { readonly label: string; readonly icon: IconName }>> = {
  system: { label: "System", icon: "settings" },
  user: { label: "User", icon: "user" },
  assistant: { label: "Assistant", icon: "run" },
  tool: { label: "Tool", icon: "workflow" },
};

/** Estimated height of a message on the screen. */
const HEIGHT_PX = 96;

interface MessageProps {
  readonly role: Role;
  /** Text beside the role: the round or the tool. */
  readonly title?: ReactNode;
  /** Verdict, tokens, cost and time of the message. */
  readonly aside?: ReactNode;
  readonly label: string;
  /** Draws the content. Called when the message comes near the visible area. */
  readonly children: () => ReactNode;
}

/** One message of a conversation. The head is always drawn, for keyboard and screen readers. The text is drawn on scrolling near. */
export function Message({ role, title, aside, label, children }: MessageProps): JSX.Element {
  const { label: name, icon } = ROLES[role];
  return (
    <article className={`message message-${role}`} aria-label={label}>
      <header className="message-head">
        <h3>
          <Icon name={icon} size={13} /> {name} {title}
        </h3>
        {aside !== undefined && <span className="message-aside muted num">{aside}</span>}
      </header>
      <WhenNear height={HEIGHT_PX}>{children}</WhenNear>
    </article>
  );
}
