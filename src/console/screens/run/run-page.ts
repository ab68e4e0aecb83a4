import { createContext, useContext } from "react";
import type { Run } from "../../../client/index.ts";
import type { NodesPage } from "../../run/nodes-page.ts";

/** State shared by all parts of the run page. */
export interface RunPage extends NodesPage {
  readonly inside: NonNullable<NodesPage["inside"]>;
  readonly run: Run;
  readonly event: number | null;
  readonly selectEvent: (eventId: number | null) => void;
  /** Shows the run as it was after an event. Null shows the newest state. */
  readonly travel: (eventId: number | null) => void;
}

export const CurrentRun = createContext<RunPage | null>(null);

export function useRunPage(): RunPage {
  const page = useContext(CurrentRun);
  if (page === null) throw new TypeError("a part of the run page stands on a run page");
  return page;
}
