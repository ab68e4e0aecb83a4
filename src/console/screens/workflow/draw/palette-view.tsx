import { type JSX, useEffect, useRef } from "react";
import { Icon } from "../../../parts/icon.tsx";
import { moveInMenu } from "../../../parts/menu.tsx";
import { PALETTE, PALETTE_GROUPS, type PaletteEntry } from "./step-palette.ts";

/** The data type of a dragged palette entry. */
export const DRAG_TYPE = "application/x-sluice-step";

interface PaletteViewProps {
  readonly onTake: (entry: PaletteEntry) => void;
  readonly isDisabled: boolean;
}

/** The kinds of steps. A click adds one after the selected card, a drag adds it where it is dropped. */
export function PaletteView({ onTake, isDisabled }: PaletteViewProps): JSX.Element {
  return (
    <nav className="draw-palette" aria-label="Kinds of steps">
      {PALETTE_GROUPS.map((group) => (
        <div key={group} className="draw-palette-group" role="group" aria-label={group}>
          <span className="draw-palette-title">{group}</span>
          {PALETTE.filter((entry) => entry.group === group).map((entry) => (
            <button
              key={entry.id}
              type="button"
              className="draw-palette-entry"
              title={`${entry.label}: ${entry.about}`}
              disabled={isDisabled}
              draggable={!isDisabled}
              onClick={() => onTake(entry)}
              onDragStart={(event) => {
                event.dataTransfer.setData(DRAG_TYPE, entry.id);
                event.dataTransfer.effectAllowed = "copy";
              }}
            >
              <Icon name={entry.icon} size={15} />
              <span>{entry.label}</span>
            </button>
          ))}
        </div>
      ))}
    </nav>
  );
}

interface PaletteMenuProps {
  readonly title: string;
  readonly place: DOMRect;
  readonly onTake: (entry: PaletteEntry) => void;
  readonly onClose: () => void;
}

/** The same list as a menu at a position on the canvas. */
export function PaletteMenu({ title, place, onTake, onClose }: PaletteMenuProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.showPopover();
    const { offsetWidth, offsetHeight } = element;
    element.style.left = `${Math.max(8, Math.min(place.right + 6, innerWidth - offsetWidth - 8))}px`;
    element.style.top = `${Math.max(8, Math.min(place.top, innerHeight - offsetHeight - 8))}px`;
    element.querySelector<HTMLButtonElement>("button")?.focus();
  }, [place]);
  return (
    <div
      ref={box}
      popover="auto"
      role="menu"
      aria-label={title}
      className="menu draw-menu"
      onKeyDown={moveInMenu}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      <p className="draw-menu-title">{title}</p>
      <div className="draw-menu-entries">
        {PALETTE.map((entry) => (
          <button
            key={entry.id}
            type="button"
            role="menuitem"
            className="menu-item"
            title={entry.about}
            onClick={() => {
              box.current?.hidePopover();
              onTake(entry);
            }}
          >
            <Icon name={entry.icon} />
            {entry.label}
          </button>
        ))}
      </div>
    </div>
  );
}
