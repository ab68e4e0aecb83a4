import type { JSX } from "react";
import type { Action } from "../page/use-action.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { ProblemView } from "./problem-view.tsx";

interface FormDialogProps extends Omit<DialogProps, "actions"> {
  /** On the button that acts. */
  readonly verb: string;
  readonly kind?: "primary" | "danger";
  /** False: what is asked for is not complete yet. */
  readonly isReady?: boolean;
  readonly action: Pick<Action<never>, "isBusy" | "problem">;
  readonly onAct: () => void;
}

/** A dialog that asks for something and does it; it shows what went wrong when that fails. */
export function FormDialog(props: FormDialogProps): JSX.Element {
  const { verb, kind = "primary", isReady = true, action, onAct, children, ...dialog } = props;
  const { isBusy, problem } = action;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>Back</Button>
          <Button kind={kind} disabled={!isReady} isBusy={isBusy} onClick={onAct}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      {problem !== null && <ProblemView problem={problem} />}
    </Dialog>
  );
}
