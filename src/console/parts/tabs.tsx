import { type JSX, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import "./tabs.css";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
  /** First tab of a group, with some space before it. */
  readonly isFirst?: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  /** Shows the tabs in a column where there is space. For a large number of tabs. */
  readonly isSide?: boolean;
  /** Content of the selected tab. */
  readonly children: ReactNode;
}

const NEXT_KEYS: ReadonlySet<string> = new Set(["ArrowRight", "ArrowDown"]);
const BEFORE_KEYS: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowUp"]);

/** Tabs with the usual keyboard behaviour: one tab stop, and arrow keys to move. */
export function Tabs({ label, tabs, selected, onSelect, isSide = false, children }: TabsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    // Scrolls only the list of tabs, not the page.
    if (tab && list.current)
      list.current.scrollLeft = tab.offsetLeft - list.current.offsetWidth / 2 + tab.offsetWidth / 2;
  }, [selected]);
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = NEXT_KEYS.has(event.key) ? 1 : BEFORE_KEYS.has(event.key) ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onSelect(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className={isSide ? "tabs is-side" : "tabs"}>
      <div ref={list} className="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, label: text, count, isFirst = false }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            data-tab={id}
            data-first={isFirst}
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
