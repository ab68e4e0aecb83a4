import { useEffect, useRef } from "react";
import type { Frame, LiveMessage } from "../../client/index.ts";
import { cache } from "./cache.ts";
import type { LiveState, HubMessage, HubRequest } from "./hub.ts";
import { Store, useStore } from "../page/store.ts";

/** What a screen is told besides the events of a run. */
export type FeedMessage = Exclude<LiveMessage, { type: "event" | "heartbeat" }>;

const state = new Store<LiveState>({ phase: "connecting", since: Date.now() });
const listeners = new Set<(news: readonly FeedMessage[]) => void>();
const watches = new Map<
  number,
  { readonly runId: string; cursor: number; onFrames: (frames: readonly Frame[]) => void }
>();
let port: MessagePort | Worker | null = null;
let nextId = 1;

/** Begins to listen; safe to call again. Where scripts cannot be shared by pages, these agree on one that listens. */
export function startLive(): void {
  if (port !== null) return wish({ type: "retry" });
  port = openPort(({ data }) => hear(data));
  holdLock();
  const retry = (): void => wish({ type: "retry" });
  addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") retry();
  });
  addEventListener("pagehide", () => wish({ type: "bye" }));
  // A page that comes back from the browser's memory has said goodbye: it begins anew.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
}

function openPort(onMessage: (message: MessageEvent<HubMessage>) => void): MessagePort | Worker {
  if (typeof SharedWorker === "undefined") {
    const own = new Worker(new URL("./member-script.ts", import.meta.url), { type: "module", name: "sluice-live" });
    own.addEventListener("message", onMessage);
    return own;
  }
  const { port: shared } = new SharedWorker(new URL("./shared-script.ts", import.meta.url), {
    type: "module",
    name: "sluice-live",
  });
  shared.addEventListener("message", onMessage);
  shared.start();
  return shared;
}

function holdLock(): void {
  const name = `sluice-page-${crypto.randomUUID?.() ?? String(Math.random())}`;
  void navigator.locks?.request(name, () => {
    wish({ type: "lock", name });
    return new Promise(() => undefined);
  });
}

function wish(made: HubRequest): void {
  port?.postMessage(made, { transfer: [] });
}

function hear(news: HubMessage): void {
  if (news.type === "state") return state.set(news.state);
  if (news.type === "frames") {
    const watch = watches.get(news.id);
    if (watch === undefined) return;
    watch.cursor = news.frames.at(-1)?.eventId ?? watch.cursor;
    return watch.onFrames(news.frames);
  }
  for (const message of news.messages) {
    if (message.type === "hello") cache.invalidateAll();
    else if (message.type === "run") cache.invalidate("runs", `run:${message.run.id}`);
    else cache.invalidate("approvals");
  }
  for (const listener of listeners) listener(news.messages);
}

/** How the connection is. */
export function useLiveState(): LiveState {
  return useStore(state);
}

/** Calls back with changes of runs and approvals of the organisation, several at once. */
export function useLive(onNews: (news: readonly FeedMessage[]) => void): void {
  const newest = useRef(onNews);
  newest.current = onNews;
  useEffect(() => {
    const listener = (news: readonly FeedMessage[]): void => newest.current(news);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/**
 * Follows a run from an event on: every later event exactly once and in order, stored ones first, several at once.
 * Returns how to stop. Reconnecting is nobody's concern here.
 */
export function watchRun(runId: string, after: number, onFrames: (frames: readonly Frame[]) => void): () => void {
  const id = nextId;
  nextId += 1;
  watches.set(id, { runId, cursor: after, onFrames });
  wish({ type: "watch", id, runId, after });
  return () => {
    watches.delete(id);
    wish({ type: "unwatch", id });
  };
}
