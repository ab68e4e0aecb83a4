import { type JSX, type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./menu.css";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** Text of the button, or the label of its icon. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly button?: Omit<ButtonProps, "label" | "children">;
  /** Content of the button in place of only an icon. */
  readonly children?: ReactNode;
}

/** Moves the focus through the entries of a menu with the arrow keys. */
export function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
  const at = buttons.findIndex((each) => each === document.activeElement);
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}

/** A button that opens a list of actions. Arrow keys move, Escape closes, and the focus returns to the button. */
export function Menu({ label, items, button = { icon: "more", kind: "quiet" }, children }: MenuProps): JSX.Element {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const place = (opener: HTMLElement): void => {
    const box = opener.getBoundingClientRect();
    const element = list.current;
    if (element === null) return;
    const { offsetWidth, offsetHeight } = element;
    element.style.left = `${Math.max(8, Math.min(box.right - offsetWidth, innerWidth - offsetWidth - 8))}px`;
    const isBelow = box.bottom + offsetHeight + 8 < innerHeight;
    element.style.top = `${isBelow ? box.bottom + 4 : Math.max(8, box.top - offsetHeight - 4)}px`;
  };
  return (
    <>
      <Button {...button} label={label} popoverTarget={id} aria-haspopup="menu">
        {children}
      </Button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        onKeyDown={moveInMenu}
        onToggle={(event) => {
          if (event.newState !== "open") return;
          const opener = document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(id)}"]`);
          if (opener !== null) place(opener);
          list.current?.querySelector<HTMLButtonElement>("button:not(:disabled)")?.focus();
        }}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            className={item.isDangerous === true ? "menu-item text-bad" : "menu-item"}
            disabled={item.isDisabled === true}
            onClick={() => {
              list.current?.hidePopover();
              item.onSelect();
            }}
          >
            {item.icon !== undefined && <Icon name={item.icon} />}
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
