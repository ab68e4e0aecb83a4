import { createContext, useContext } from "react";
import type { TurnView } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";

/** An action on the run, requested anywhere on the page and confirmed in one dialog. */
export type RunAction =
  | { readonly kind: "cancel" }
  | { readonly kind: "recover" }
  | { readonly kind: "restart"; readonly fromNode: string | null }
  | { readonly kind: "rewind"; readonly eventId: number }
  | { readonly kind: "branch"; readonly eventId: number }
  | { readonly kind: "branch-turn"; readonly nodeId: string; readonly round: TurnRound }
  | EditPrompt
  | EditOutput
  | { readonly kind: "commands" };

export interface EditPrompt {
  readonly kind: "edit-prompt";
  readonly nodeId: string;
  /** The prompt of the node before the edit. */
  readonly text: string;
  /** Rounds after which the node can continue. In such a round every call has an outcome. */
  readonly rounds: readonly number[];
}

export interface EditOutput {
  readonly kind: "edit-output";
  readonly nodeId: string;
  readonly outputs: JsonObject;
  readonly text: string;
}

export type TurnRound = TurnView["rounds"][number];

/** Returns the first call of a round without an outcome. The run cannot continue from the round before it has one. */
export function openCallOf({ calls }: TurnRound): TurnRound["calls"][number] | undefined {
  return calls.find(({ result, verdict }) => result === null && verdict?.disposition !== "deny");
}

/** Opens the dialog of an action. */
export const RequestRunAction = createContext<(action: RunAction) => void>(() => undefined);

export function useRequestAction(): (action: RunAction) => void {
  return useContext(RequestRunAction);
}
