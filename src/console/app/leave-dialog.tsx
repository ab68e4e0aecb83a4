import type { JSX } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLeaving } from "../page/router.tsx";

/** Asks for confirmation before unsaved work is discarded. */
export function LeaveDialog(): JSX.Element | null {
  const [leaving, stay] = useLeaving();
  if (leaving === null) return null;
  return (
    <Dialog
      title="Leave without saving?"
      width="narrow"
      onClose={stay}
      actions={
        <>
          <Button kind="primary" onClick={stay}>
            Stay here
          </Button>
          <Button kind="danger" onClick={leaving.leave}>
            Leave
          </Button>
        </>
      }
    >
      <p>{leaving.question}</p>
    </Dialog>
  );
}
