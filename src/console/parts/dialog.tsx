import { type JSX, type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";
import { DialogBox } from "./dialog-box.ts";
import "./dialog.css";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the bottom. */
  readonly actions?: ReactNode;
  readonly width?: "narrow" | "normal" | "wide";
}

const FIRST_FIELD =
  ".dialog-body :is(input:not([type=checkbox], [type=radio], [aria-hidden]), .select, textarea):not(:disabled)";

/** The browser's own dialog. It keeps the focus inside, closes with Escape and returns the focus. */
export function Dialog({ title, onClose, children, actions, width = "normal" }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) {
      element.showModal();
      // A form focuses its first field. Without a form the browser chooses the focus.
      element.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog dialog-${width}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <DialogBox value={dialog}>
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <Button kind="quiet" size="small" icon="cross" label="Close" onClick={onClose} />
        </div>
        <div className="dialog-body">{children}</div>
        {actions !== undefined && <div className="dialog-actions">{actions}</div>}
      </DialogBox>
    </dialog>
  );
}
