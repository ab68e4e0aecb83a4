/** Runs beside the pages of a browser and holds the one connection they have together. */
import { readLive } from "../../client/index.ts";
import { type Client, LiveHub, type HubRequest } from "./hub.ts";

export function openHub(): LiveHub {
  return new LiveHub({
    read: (runs, signal) =>
      readLive(
        { url: "", fetch: (input, init) => fetch(input, { ...init, credentials: "same-origin" }) },
        runs,
        signal,
      ),
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}

/** Connects a page. Its lock is free again only when the page is gone, however it went. */
export function attach(hub: LiveHub, port: MessagePort): void {
  const client: Client = hub.join((news) => port.postMessage(news));
  port.addEventListener("message", ({ data }: MessageEvent<HubRequest>) => {
    if (data.type === "lock") whenGone(data.name, () => hub.leave(client));
    else hub.take(client, data);
  });
  port.start();
}

export function whenGone(lock: string, run: () => void): void {
  void navigator.locks?.request(lock, run);
}
