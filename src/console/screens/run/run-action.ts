import { createContext, useContext } from "react";
import type { TurnView } from "../../../client/index.ts";

/** An action on the run, requested anywhere on the page and confirmed in one dialog. */
export type RunAction =
  | { readonly kind: "cancel" }
  | { readonly kind: "recover" }
  | { readonly kind: "restart"; readonly fromNode: string | null }
  | { readonly kind: "rewind"; readonly eventId: number }
  | { readonly kind: "branch"; readonly eventId: number }
  | { readonly kind: "branch-turn"; readonly nodeId: string; readonly round: TurnRound }
  | { readonly kind: "commands" };

export type TurnRound = TurnView["rounds"][number];

/** Opens the dialog of an action. */
export const RequestRunAction = createContext<(action: RunAction) => void>(() => undefined);

export function useRequestAction(): (action: RunAction) => void {
  return useContext(RequestRunAction);
}
