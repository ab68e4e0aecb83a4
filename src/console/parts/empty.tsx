import type { JSX, ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./empty.css";

export interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  /** What to do next. */
  readonly children?: ReactNode;
  /** The exact command that would change this. */
  readonly command?: string;
  readonly action?: ReactNode;
}

/** Nothing to show, and what would make something appear. */
export function Empty({ icon = "ring", title, children, command, action }: EmptyProps): JSX.Element {
  return (
    <div className="empty">
      <Icon name={icon} size={22} />
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
      {action}
      {command !== undefined && <CodeBlock text={command} />}
    </div>
  );
}
