import { type JSX, type ReactNode, useEffect, useRef } from "react";
import { hasMoved } from "../page/router.tsx";
import "./page-head.css";

interface PageHeadProps {
  readonly title: string;
  /** Links to parent pages, shown before the title. */
  readonly trail?: ReactNode;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
}

/** Head of a screen. Sets the page title, and takes the focus when the screen is entered. */
export function PageHead({ title, trail, subtitle, actions }: PageHeadProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  useEffect(() => {
    // A page that was just opened starts without this focus, so that the link that skips to the content comes first.
    if (hasMoved()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className="page-head">
      <div className="page-head-text">
        {trail !== undefined && <div className="muted">{trail}</div>}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {subtitle !== undefined && <div className="muted">{subtitle}</div>}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </header>
  );
}
