import type { JSX } from "react";
import "./segments.css";

interface ViewSwitchProps {
  readonly isList: boolean;
  readonly onChange: (isList: boolean) => void;
  readonly hasGraph?: boolean;
  readonly className?: string;
}

/** Switches between the graph and the list of nodes. */
export function ViewSwitch({ isList, onChange, hasGraph = true, className = "" }: ViewSwitchProps): JSX.Element {
  return (
    <div className={`segments ${className}`} role="group" aria-label="How nodes are shown">
      <button type="button" aria-pressed={!isList} disabled={!hasGraph} onClick={() => onChange(false)}>
        Graph
      </button>
      <button type="button" aria-pressed={isList} onClick={() => onChange(true)}>
        List
      </button>
    </div>
  );
}
