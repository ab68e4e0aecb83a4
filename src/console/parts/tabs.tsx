import type { JSX, KeyboardEvent, ReactNode } from "react";
import "./tabs.css";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  /** What the selected tab shows. */
  readonly children: ReactNode;
}

/** Tabs as the keyboard knows them: one stop, arrows move. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element {
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onSelect(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, label: text, count }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            data-tab={id}
            aria-selected={id === selected}
            aria-controls={`panel-${id}`}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {text}
            {count !== undefined && <span className="tab-count num">{count}</span>}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`panel-${selected}`}
        aria-labelledby={`tab-${selected}`}
        tabIndex={-1}
      >
        {children}
      </div>
    </div>
  );
}
