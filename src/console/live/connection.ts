import { useEffect, useRef } from "react";
import type { Frame } from "../../client/index.ts";
import { cache } from "./cache.ts";
import type { FeedMessage, HubMessage, HubRequest, LiveState } from "./hub.ts";
import { liveName } from "./live-name.ts";
import { Store, useStore } from "../page/store.ts";

const state = new Store<LiveState>({ phase: "connecting", since: Date.now() });
const listeners = new Set<(messages: readonly FeedMessage[]) => void>();
const watches = new Map<
  number,
  { readonly runId: string; cursor: number; onFrames: (frames: readonly Frame[]) => void }
>();
let port: MessagePort | Worker | null = null;
let isStarted = false;
/** Organisation of the connection. */
let organisation: string | null = null;
let nextId = 1;

/** Opens the connection. Safe to call again. In browsers without shared workers, the pages agree on one page that holds it. */
export function startLive(of: string): void {
  if (port !== null && of === organisation) return send({ type: "retry" });
  if (port !== null) send({ type: "bye" });
  organisation = of;
  port = openPort(liveName(of), ({ data }) => receive(data));
  holdLock();
  if (isStarted) return;
  isStarted = true;
  const retry = (): void => send({ type: "retry" });
  addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") retry();
  });
  addEventListener("pagehide", () => send({ type: "bye" }));
  // A page restored from the back-forward cache has already sent `bye`, so it is loaded again.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
}

function openPort(name: string, onMessage: (message: MessageEvent<HubMessage>) => void): MessagePort | Worker {
  if (typeof SharedWorker === "undefined") {
    const own = new Worker(new URL("./member-script.ts", import.meta.url), { type: "module", name });
    own.addEventListener("message", onMessage);
    return own;
  }
  const { port: shared } = new SharedWorker(new URL("./shared-script.ts", import.meta.url), {
    type: "module",
    name,
  });
  shared.addEventListener("message", onMessage);
  shared.start();
  return shared;
}

function holdLock(): void {
  const name = `sluice-page-${crypto.randomUUID?.() ?? String(Math.random())}`;
  void navigator.locks?.request(name, () => {
    send({ type: "lock", name });
    return new Promise(() => undefined);
  });
}

function send(request: HubRequest): void {
  port?.postMessage(request, { transfer: [] });
}

function receive(message: HubMessage): void {
  if (message.type === "state") return state.set(message.state);
  if (message.type === "frames") {
    const watch = watches.get(message.id);
    if (watch === undefined) return;
    watch.cursor = message.frames.at(-1)?.eventId ?? watch.cursor;
    return watch.onFrames(message.frames);
  }
  for (const change of message.messages) {
    if (change.type === "hello") cache.invalidateAll();
    else if (change.type === "run") cache.invalidate("runs", `run:${change.run.id}`);
    else if (change.type === "note") cache.invalidate("approvals", "approval-list", `approval:${change.approvalId}`);
    else cache.invalidate("approvals");
  }
  for (const listener of listeners) listener(message.messages);
}

/** The state of the connection. */
export function useLiveState(): LiveState {
  return useStore(state);
}

/** Calls back with changes of runs and approvals of the organisation, in batches. */
export function useLive(onMessages: (messages: readonly FeedMessage[]) => void): void {
  const newest = useRef(onMessages);
  newest.current = onMessages;
  useEffect(() => {
    const listener = (messages: readonly FeedMessage[]): void => newest.current(messages);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/**
 * Follows a run from an event on. Delivers every later event exactly once and in order, stored events first, in batches.
 * Returns a function that stops it. Reconnects are invisible to the caller.
 */
export function watchRun(runId: string, after: number, onFrames: (frames: readonly Frame[]) => void): () => void {
  const id = nextId;
  nextId += 1;
  watches.set(id, { runId, cursor: after, onFrames });
  send({ type: "watch", id, runId, after });
  return () => {
    watches.delete(id);
    send({ type: "unwatch", id });
  };
}
