import type { Session } from "../../client/index.ts";
import { Store, useStore } from "../page/store.ts";

export type SessionState =
  | { readonly phase: "asking" }
  | { readonly phase: "signed-out" }
  | { readonly phase: "unreachable"; readonly problem: Error }
  /** Signed in, but no member of the organisation that is wanted; null: of none at all. */
  | { readonly phase: "no-organisation"; readonly session: Session; readonly wanted: string | null }
  | { readonly phase: "signed-in"; readonly session: Session };

export const session = new Store<SessionState>({ phase: "asking" });

/** The session of the signed-in person. Screens are shown only then. */
export function useSession(): Session {
  const state = useStore(session);
  return state.phase === "signed-in" ? state.session : SIGNED_OUT;
}

const SIGNED_OUT: Session = {
  organisation: null,
  keyId: "",
  label: "",
  permissions: [],
  agent: null,
  expiresAt: null,
  approvers: "enforced",
  connect: [],
  person: null,
  organisations: [],
  answersAs: [],
  sessionId: null,
  csrfToken: null,
};

/** Whether the signed-in person has a permission; actions without it are not offered. */
export function useMay(permission: string): boolean {
  return useSession().permissions.includes(permission);
}
