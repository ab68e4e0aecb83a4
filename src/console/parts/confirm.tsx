import { type JSX, type ReactNode, useId, useState } from "react";
import { useAction } from "../page/use-action.ts";
import { FormDialog } from "./form-dialog.tsx";
import "./field.css";

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, exactly. */
  readonly children: ReactNode;
  readonly verb: string;
  /** Has to be typed first; for what cannot be undone. */
  readonly phrase?: string;
  /** Asked for: its words are stored. */
  readonly reason?: "required" | "optional";
  readonly isDangerous?: boolean;
  /** False: what is asked for in `children` is not complete yet. */
  readonly isReady?: boolean;
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done, and shows what went wrong when it fails. */
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
