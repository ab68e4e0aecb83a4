import { type AnchorHTMLAttributes, type JSX, type MouseEvent, useCallback, useEffect, useMemo } from "react";
import { Store, useStore } from "./store.ts";

export interface Place {
  readonly path: string;
  readonly search: string;
}

const PREFIX = /^\/o\/([^/]+)(?=\/|$)/;

/** Returns the organisation in the address, which may differ between tabs. Null when the address contains none. */
export function organisationInAddress(): string | null {
  const name = PREFIX.exec(location.pathname)?.[1];
  return name ?? null;
}

/** Returns the full path of a console address, with the organisation of this tab. */
export function addressOf(to: string): string {
  return `${PREFIX.exec(location.pathname)?.[0] ?? ""}${to}`;
}

/** Adds an organisation to an address that contains none. */
export function nameOrganisation(organisation: string): void {
  if (organisationInAddress() !== null) return;
  history.replaceState(null, "", `/o/${encodeURIComponent(organisation)}${location.pathname}${location.search}`);
}

/** The present place, without the organisation. */
const here = (): Place => ({
  path: location.pathname.replace(PREFIX, "") || "/",
  search: location.search,
});
const place = new Store<Place>(here());
let guard: (() => string | null) | null = null;
let isMoved = false;

/** Whether the person has navigated within the console since opening it. */
export function hasMoved(): boolean {
  return isMoved;
}

/** The question about unsaved work, and the action that continues when the person confirms. */
export interface Leaving {
  readonly question: string;
  readonly leave: () => void;
}

const leaving = new Store<Leaving | null>(null);

addEventListener("popstate", () => {
  const before = place.get();
  const { path, search } = here();
  if (mayLeave(() => navigate(path + search))) place.set(here());
  else history.pushState(null, "", addressOf(before.path + before.search));
});

/** Checks whether the page may be left. With unsaved work it returns false and asks, and `leave` is called if the person confirms. */
function mayLeave(leave: () => void): boolean {
  const question = guard?.() ?? null;
  if (question !== null) {
    leaving.set({
      question,
      leave: () => {
        guard = null;
        leaving.set(null);
        leave();
      },
    });
    return false;
  }
  guard = null;
  return true;
}

/** Returns the question on screen, and a function that answers it with no. */
export function useLeaving(): readonly [Leaving | null, () => void] {
  return [useStore(leaving), () => leaving.set(null)];
}

/** Goes to an address of the console. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const isElsewhere = to.split("?")[0] !== here().path;
  if (isElsewhere && !mayLeave(() => navigate(to, { replace }))) return;
  if (replace) history.replaceState(null, "", addressOf(to));
  else history.pushState(null, "", addressOf(to));
  isMoved = true;
  place.set(here());
  if (isElsewhere) scrollTo(0, 0);
}

/** Asks the given question before the page is left. Null when there is no unsaved work. */
export function useLeaveGuard(question: string | null): void {
  useEffect(() => {
    if (question === null) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    guard = () => question;
    addEventListener("beforeunload", ask);
    return () => {
      guard = null;
      removeEventListener("beforeunload", ask);
    };
  }, [question]);
}

export function usePlace(): Place {
  return useStore(place);
}

export interface SearchParams {
  readonly get: (name: string) => string | null;
  /**
   * Changes some parameters. Null or an empty text removes one. Replaces the address unless `push` is set, so that Back leaves the page.
   */
  readonly set: (changes: Readonly<Record<string, string | null>>, options?: { readonly push?: boolean }) => void;
}

/** The query parameters of the address. Filters and selections are kept there, so that an address can be shared. */
export function useSearchParams(): SearchParams {
  const { search } = usePlace();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback<SearchParams["set"]>((changes, { push = false } = {}) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(here().path + (text === "" ? "" : `?${text}`), { replace: !push });
  }, []);
  return { get: (name) => params.get(name), set };
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A real link, so that the browser's ways of opening it in another tab or window still work. */
export function Link({ to, onClick, ...rest }: LinkProps): JSX.Element {
  const go = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || (rest.target !== undefined && rest.target !== "_self")) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={addressOf(to)} onClick={go} />;
}
