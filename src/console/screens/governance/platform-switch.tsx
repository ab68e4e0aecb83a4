import { type JSX, useState } from "react";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Badge } from "../../parts/status.tsx";
import { toast } from "../../parts/toast.tsx";

/** The kill switch. While the platform is closed, no run is created and no node is dispatched. */
export function PlatformSwitch(): JSX.Element | null {
  const mayWrite = useMay("governance:write");
  const [isAsking, setAsking] = useState(false);
  const state = useQuery("platform", () => api.getPlatform(), { tags: ["platform"], everyMs: 15_000 });
  if (state.data === undefined) return null;
  const { open, reason } = state.data;
  return (
    <>
      <Badge tone={open ? "ok" : "bad"}>
        {open ? "Platform open" : `Platform closed${reason === null ? "" : `: ${reason}`}`}
      </Badge>
      <Button kind={open ? "plain" : "primary"} disabled={!mayWrite} onClick={() => setAsking(true)}>
        {open ? "Close platform" : "Open platform"}
      </Button>
      {isAsking && (
        <Confirm
          title={open ? "Close the platform?" : "Open the platform?"}
          verb={open ? "Close" : "Open"}
          isDangerous={open}
          reason={open ? "required" : "optional"}
          onClose={() => setAsking(false)}
          onConfirm={async (words) => {
            cache.put("platform", await api.setPlatform({ open: !open, ...(words === "" ? {} : { reason: words }) }));
            toast(open ? "The platform is closed." : "The platform is open.", open ? "bad" : "ok");
          }}
        >
          {open
            ? "No run is created, and nodes about to be dispatched are refused until it is opened again. Work that was dispatched continues."
            : "Runs can be created again, and waiting nodes continue."}
        </Confirm>
      )}
    </>
  );
}
