import { type JSX, useState } from "react";
import { api } from "../live/api.ts";
import { cache } from "../live/cache.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { toast } from "../parts/toast.tsx";
import { type ManifestKind, nounOf } from "./manifest-kind.ts";

const DELETION = {
  verb: "Delete",
  done: "Deleted",
  follows: "Runs that have started keep what they were pinned to. The deletion is audited.",
};

interface DeleteButtonProps {
  readonly kind: ManifestKind;
  readonly id: string;
  readonly onDeleted: () => void;
}

export function DeleteButton({ kind, id, onDeleted }: DeleteButtonProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { verb, done, follows } = kind.removal ?? DELETION;
  const remove = async (): Promise<void> => {
    if (kind.collection === "gateways") await api.deleteGateway(id);
    else await api.deleteRegistered(kind.collection, id);
    cache.invalidate(kind.collection);
    toast(`${done} ${nounOf(kind)} ${id}.`, "info");
    onDeleted();
  };
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {verb}
      </Button>
      {isAsking && (
        <Confirm
          title={`${verb} ${nounOf(kind)} ${id}?`}
          verb={verb}
          phrase={id}
          onClose={() => setAsking(false)}
          onConfirm={remove}
        >
          {follows}
        </Confirm>
      )}
    </>
  );
}
