import type { JSX, ReactNode } from "react";
import { Store, useStore } from "../page/store.ts";
import { Button } from "./button.tsx";
import "./toast.css";

/** Meaning of the notice: a success, a refusal or stop, or only information. */
export type ToastTone = "ok" | "bad" | "info";

interface Toast {
  readonly id: number;
  readonly text: ReactNode;
  readonly tone: ToastTone;
}

const shown = new Store<readonly Toast[]>([]);
const STAYS_MS = 6_000;
let next = 1;

/** Shows a notice for a short time. An error is shown at its place in a `ProblemView`, not here. */
export function toast(text: ReactNode, tone: Toast["tone"] = "ok"): void {
  const id = next;
  next += 1;
  shown.set([...shown.get().slice(-3), { id, text, tone }]);
  setTimeout(() => dismiss(id), STAYS_MS);
}

function dismiss(id: number): void {
  shown.set(shown.get().filter((each) => each.id !== id));
}

export function Toasts(): JSX.Element {
  const toasts = useStore(shown);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone }) => (
        <div key={id} className={`toast toast-${tone}`}>
          <span>{text}</span>
          <Button kind="quiet" size="small" icon="cross" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
