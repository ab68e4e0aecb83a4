import { createContext, useContext } from "react";

/** Something that can be done with the run, asked for anywhere on the page and confirmed in one place. */
export type WantedAction =
  | { readonly kind: "cancel" }
  | { readonly kind: "recover" }
  | { readonly kind: "restart"; readonly fromNode: string | null }
  | { readonly kind: "rewind"; readonly eventId: number }
  | { readonly kind: "branch"; readonly eventId: number }
  | { readonly kind: "commands" };

export interface RunActionState {
  readonly ask: (wanted: WantedAction) => void;
}

export const RunActionContext = createContext<RunActionState>({ ask: () => undefined });

export function useRunActions(): RunActionState {
  return useContext(RunActionContext);
}
