import { type JSX, type ReactNode, useId } from "react";
import "./panel.css";

interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  /** No padding, so that content such as a table reaches the edges. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** A box with a heading. */
export function Panel({ title, actions, isFlush = false, children }: PanelProps): JSX.Element {
  const id = useId();
  return (
    <section className="panel" {...(title === undefined ? {} : { "aria-labelledby": id })}>
      {title !== undefined && (
        <div className="panel-head">
          <h2 id={id}>{title}</h2>
          {actions}
        </div>
      )}
      <div className={isFlush ? "panel-flush" : "panel-body"}>{children}</div>
    </section>
  );
}
