import type { Session } from "../../client/index.ts";
import { Store, useStore } from "../page/store.ts";

export type SessionState =
  | { readonly phase: "asking" }
  | { readonly phase: "signed-out" }
  | { readonly phase: "unreachable"; readonly problem: Error }
  /** Signed in, but not a member of the wanted organisation. `wanted` is null for a person without any organisation. */
  | { readonly phase: "no-organisation"; readonly session: Session; readonly wanted: string | null }
  | { readonly phase: "signed-in"; readonly session: Session };

export const session = new Store<SessionState>({ phase: "asking" });

/** Returns the session of the signed-in person. Screens are shown only while there is one. */
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

/** Checks whether the signed-in person has a permission. Actions without permission are not offered. */
export function useMay(permission: string): boolean {
  return useSession().permissions.includes(permission);
}
