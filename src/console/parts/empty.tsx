import type { JSX, ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./empty.css";

export interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  /** Text that explains what to do next. */
  readonly children?: ReactNode;
  /** The exact command that would create content. */
  readonly command?: string;
  readonly action?: ReactNode;
}

/** Shown in place of an empty list, with a way to create content. */
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
