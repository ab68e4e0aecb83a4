import { ApiProblem, getSession, SluiceClient } from "../../client/index.ts";
import { asError } from "../page/use-action.ts";
import { session } from "./session-store.ts";

/** Requests carry the session cookie of this server. When the session has ended, the sign-in page is shown. */
const withSession: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, credentials: "same-origin" });
  if (response.status === 401) session.set({ phase: "signed-out" });
  return response;
};

export const api = new SluiceClient({ url: "", fetch: withSession });

/** Reads the session and keeps it. */
export async function loadSession(): Promise<void> {
  try {
    session.set({ phase: "signed-in", session: await getSession({ url: "", fetch: withSession }) });
  } catch (thrown) {
    const isUnknown = thrown instanceof ApiProblem && thrown.status === 401;
    session.set(isUnknown ? { phase: "signed-out" } : { phase: "unreachable", problem: asError(thrown) });
  }
}

/** Signs in with a key; the server keeps it in a cookie that no script can read. */
export async function signIn(key: string): Promise<void> {
  const response = await fetch("/session", {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({ key }),
    credentials: "same-origin",
  });
  if (!response.ok) throw new ApiProblem((await response.json().catch(() => ({}))) as object, response);
  await loadSession();
}

export async function signOut(): Promise<void> {
  await fetch("/session/end", { method: "POST", credentials: "same-origin", redirect: "manual" });
  session.set({ phase: "signed-out" });
}
