import { type JSX, useState } from "react";
import type { CellView } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Select } from "../../parts/select.tsx";
import type { Resident } from "./cells-tab.tsx";

interface MoveDialogProps {
  readonly resident: Resident;
  readonly cells: readonly CellView[];
  readonly onClose: () => void;
}

/** Starts a move. The servers perform it in the background. */
export function MoveDialog({ resident, cells, onClose }: MoveDialogProps): JSX.Element {
  const { id, cell } = resident;
  const others = cells.map(({ name }) => name).filter((name) => name !== cell);
  const [to, setTo] = useState(others[0] ?? "");
  const moving = useAction(async () => {
    await api.cells.move(id, to);
    cache.invalidate("cells");
    onClose();
  });
  return (
    <FormDialog
      title={`Move ${id}`}
      verb="Move"
      isReady={to !== ""}
      action={moving}
      onAct={() => void moving.run()}
      onClose={onClose}
    >
      <div className="settings-form">
        <p>
          It lives in {cell}. Everything it has is copied and compared; while the last rows go over, its runs wait and
          starts are asked to try again. If both sides are not the same, it stays where it is.
        </p>
        <Field label="To the cell">
          <Select value={to} options={others} onChange={setTo} />
        </Field>
      </div>
    </FormDialog>
  );
}
