import { ApiProblem, getSession, type Session, SluiceClient } from "../../client/index.ts";
import { keep, read } from "../page/preferences.ts";
import { nameOrganisation, organisationInAddress } from "../page/router.tsx";
import { asError } from "../page/use-action.ts";
import { session } from "./session-store.ts";

const CHOSEN = "sluice.organisation";

/**
 * Requests contain the session cookie of this server, its token and the organisation of this tab. When the session has
 * ended, the sign-in page is shown.
 */
const withSession: typeof fetch = async (input, init) => {
  const response = await send(input, init);
  if (response.status === 401) session.set({ phase: "signed-out" });
  // The session was renewed in another tab. This tab reads the new token and sends the request once more.
  if (response.status !== 403 || !(await isOldToken(response))) return response;
  await loadSession();
  return send(input, init);
};

const send: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  const organisation = organisationInAddress();
  if (organisation !== null) headers.set("x-sluice-organisation", organisation);
  const token = csrfToken();
  if (token !== null) headers.set("x-sluice-csrf", token);
  return fetch(input, { ...init, headers, credentials: "same-origin" });
};

function csrfToken(): string | null {
  const state = session.get();
  return "session" in state ? state.session.csrfToken : null;
}

async function isOldToken(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { readonly code?: unknown };
  return body.code === "bad_csrf_token";
}

export const api = new SluiceClient({ url: "", retries: 0, fetch: withSession });

/** Returns the address of a download, with the organisation of this tab. */
export function downloadAddress(path: string): string {
  return `/api/v1${path}?organisation=${encodeURIComponent(organisationInAddress() ?? "")}`;
}

/** Reads the session and stores it. Afterwards the address of the page contains the organisation. */
export async function loadSession(): Promise<void> {
  try {
    const found = await getSession({ url: "", fetch: withSession });
    const wanted = organisationInAddress() ?? found.organisation ?? chosenOf(found);
    if (wanted === null) return session.set({ phase: "no-organisation", session: found, wanted });
    nameOrganisation(wanted);
    keep(CHOSEN, wanted);
    const isOther = found.organisation !== wanted;
    session.set({
      phase: "signed-in",
      session: isOther ? await getSession({ url: "", fetch: withSession }) : found,
    });
  } catch (thrown) {
    await showProblem(thrown);
  }
}

/** Returns the organisation this browser showed last, else the first. */
function chosenOf({ organisations }: Session): string | null {
  const last = read(CHOSEN);
  const found = organisations.find(({ id }) => id === last) ?? organisations[0];
  return found?.id ?? null;
}

const withoutOrganisation: typeof fetch = (input, init) => fetch(input, { ...init, credentials: "same-origin" });

async function showProblem(thrown: unknown): Promise<void> {
  if (thrown instanceof ApiProblem && thrown.status === 401) return session.set({ phase: "signed-out" });
  const wanted = organisationInAddress();
  const isForeign = thrown instanceof ApiProblem && thrown.code === "unknown_organisation" && wanted !== null;
  if (!isForeign) return session.set({ phase: "unreachable", problem: asError(thrown) });
  try {
    session.set({
      phase: "no-organisation",
      session: await getSession({ url: "", fetch: withoutOrganisation }),
      wanted,
    });
  } catch (again) {
    session.set({ phase: "unreachable", problem: asError(again) });
  }
}

export interface ShownProvider {
  readonly name: string;
  readonly label: string;
}

/** Returns the providers with which people can sign in, apart from a key. */
export async function listProviders(): Promise<readonly ShownProvider[]> {
  const response = await fetch("/auth/providers", { headers: { accept: "application/json" } });
  if (!response.ok) return [];
  const { data } = (await response.json()) as { readonly data: readonly ShownProvider[] };
  return data;
}

/** Signs in with a key. The server opens a session and stores its secret in a cookie that scripts cannot read. */
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
  const body = new URLSearchParams({ csrf: csrfToken() ?? "" });
  await fetch("/session/end", { method: "POST", body, credentials: "same-origin", redirect: "manual" });
  session.set({ phase: "signed-out" });
}

/** Shows another organisation in this tab and loads all data again. */
export function openOrganisation(id: string): void {
  keep(CHOSEN, id);
  location.assign(`/o/${encodeURIComponent(id)}/`);
}
