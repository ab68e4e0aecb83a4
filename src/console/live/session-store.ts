import type { Session } from "../../client/index.ts";
import { Store, useStore } from "../page/store.ts";

export type SessionState =
  | { readonly phase: "asking" }
  | { readonly phase: "signed-out" }
  | { readonly phase: "unreachable"; readonly problem: Error }
  | { readonly phase: "signed-in"; readonly session: Session };

export const session = new Store<SessionState>({ phase: "asking" });

/** Who is signed in. Screens are shown to nobody else. */
export function useSession(): Session {
  const state = useStore(session);
  return state.phase === "signed-in" ? state.session : NOBODY;
}

const NOBODY: Session = {
  organisation: "",
  keyId: "",
  label: "",
  permissions: [],
  agent: null,
  expiresAt: null,
  connect: [],
};

/** Whether who is signed in may do something: what they may not do is not offered to them. */
export function useMay(permission: string): boolean {
  return useSession().permissions.includes(permission);
}
