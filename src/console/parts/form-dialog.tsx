import type { JSX } from "react";
import type { Action } from "../page/use-action.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { ProblemView } from "./problem-view.tsx";

interface FormDialogProps extends Omit<DialogProps, "actions"> {
  /** Text of the button that performs the action. */
  readonly verb: string;
  readonly kind?: "primary" | "danger";
  /** False while the form is incomplete. */
  readonly isReady?: boolean;
  readonly action: Pick<Action<never>, "isBusy" | "problem">;
  readonly onAct: () => void;
}

/** Dialog with a form and an action. It shows the error when the action fails. */
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
