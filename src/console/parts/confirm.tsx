import { type JSX, type ReactNode, useId, useState } from "react";
import { useAction } from "../page/use-action.ts";
import { FormDialog } from "./form-dialog.tsx";
import "./field.css";

export interface ConfirmProps {
  readonly title: string;
  /** Exact description of the consequence. */
  readonly children: ReactNode;
  readonly verb: string;
  /** Text that must be typed first, for actions that cannot be undone. */
  readonly phrase?: string;
  /** Whether a reason is asked for, and whether it is required. The reason is stored. */
  readonly reason?: "required" | "optional";
  readonly isDangerous?: boolean;
  /** False while inputs in `children` are incomplete. */
  readonly isReady?: boolean;
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action, and shows the error when it fails. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const {
    title,
    children,
    verb,
    phrase,
    reason,
    isDangerous = true,
    isReady: isComplete = true,
    onConfirm,
    onClose,
  } = props;
  const [typed, setTyped] = useState("");
  const [words, setWords] = useState("");
  const ids = { phrase: useId(), reason: useId() };
  const doing = useAction(onConfirm);
  const isTyped = phrase === undefined || typed === phrase;
  const isReady = isComplete && isTyped && (reason !== "required" || words.trim() !== "");
  const act = async (): Promise<void> => {
    if (await doing.run(words.trim())) onClose();
  };
  return (
    <FormDialog
      title={title}
      width="narrow"
      verb={verb}
      kind={isDangerous ? "danger" : "primary"}
      isReady={isReady}
      action={doing}
      onAct={() => void act()}
      onClose={onClose}
    >
      <div>{children}</div>
      {reason !== undefined && (
        <div className="field">
          <label htmlFor={ids.reason}>Reason{reason === "optional" ? " (optional)" : ""}</label>
          <textarea
            id={ids.reason}
            rows={2}
            value={words}
            maxLength={10_000}
            onChange={(event) => setWords(event.target.value)}
          />
        </div>
      )}
      {phrase !== undefined && (
        <div className="field">
          <label htmlFor={ids.phrase}>
            Type <code>{phrase}</code> to continue
          </label>
          <input id={ids.phrase} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
        </div>
      )}
    </FormDialog>
  );
}
