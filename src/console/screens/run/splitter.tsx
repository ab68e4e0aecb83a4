import { type JSX, type KeyboardEvent, type PointerEvent, useState } from "react";
import { keep, read } from "../../page/preferences.ts";

export interface Split {
  readonly size: number;
  readonly set: (size: number) => void;
  readonly min: number;
  readonly max: number;
}

/** A pane size that a person can change. It is stored in the browser. */
export function useSplit(name: string, initial: number, min: number, max: number): Split {
  const [size, setSize] = useState(() => {
    const kept = Number(read(`sluice.split.${name}`));
    return Number.isFinite(kept) && kept >= min && kept <= max ? kept : initial;
  });
  const set = (next: number): void => {
    const bound = Math.round(Math.min(max, Math.max(min, next)));
    setSize(bound);
    keep(`sluice.split.${name}`, String(bound));
  };
  return { size, set, min, max };
}

interface SplitterProps {
  readonly label: string;
  readonly split: Split;
  /** Orientation of the line itself: the panes beside a vertical line are left and right of it. */
  readonly orientation: "vertical" | "horizontal";
}

const STEP = 24;

/** A line between two panes that sets the size of the second pane. It is dragged, or moved with the arrow keys. */
export function Splitter({ label, split, orientation }: SplitterProps): JSX.Element {
  const isVertical = orientation === "vertical";
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const from = isVertical ? event.clientX : event.clientY;
    const size = split.size;
    const move = (moved: globalThis.PointerEvent): void =>
      split.set(size + from - (isVertical ? moved.clientX : moved.clientY));
    const end = (): void => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", end);
      target.removeEventListener("pointercancel", end);
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
  };
  const onKey = (event: KeyboardEvent): void => {
    const bigger = isVertical ? "ArrowLeft" : "ArrowUp";
    const smaller = isVertical ? "ArrowRight" : "ArrowDown";
    if (event.key !== bigger && event.key !== smaller) return;
    event.preventDefault();
    split.set(split.size + (event.key === bigger ? STEP : -STEP));
  };
  return (
    <div
      className={`splitter splitter-${orientation}`}
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={split.size}
      aria-valuemin={split.min}
      aria-valuemax={split.max}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={onKey}
    />
  );
}
