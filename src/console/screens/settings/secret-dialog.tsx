import type { JSX, ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  /** Text of the button that closes the dialog. */
  readonly done: string;
  readonly onClose: () => void;
  /** Instructions for using the secret. */
  readonly children: ReactNode;
  readonly after?: ReactNode;
}

/** A secret, shown once. */
export function SecretDialog(props: SecretDialogProps): JSX.Element {
  const { title, label, secret, done, onClose, children, after } = props;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {done}
        </Button>
      }
    >
      <div className="settings-secret stack" role="status">
        <p>{children}</p>
        <CodeBlock text={secret} label={label} isWrapped />
      </div>
      {after}
    </Dialog>
  );
}
