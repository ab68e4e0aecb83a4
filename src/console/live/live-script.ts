/** Worker code that holds the single live connection of the browser's pages. */
import { readLive } from "../../client/index.ts";
import { type HubClient, LiveHub, type HubRequest } from "./hub.ts";
import { organisationOf } from "./live-name.ts";

const withOrganisation: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("x-sluice-organisation", organisationOf(self.name));
  return fetch(input, { ...init, headers, credentials: "same-origin" });
};

export function openHub(): LiveHub {
  return new LiveHub({
    read: (runs, signal) => readLive({ url: "", fetch: withOrganisation }, runs, signal),
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}

/** Connects a page to the hub. The lock of the page becomes free only when the page is gone, for whatever reason. */
export function attach(hub: LiveHub, port: MessagePort): void {
  const client: HubClient = hub.join((message) => port.postMessage(message));
  port.addEventListener("message", ({ data }: MessageEvent<HubRequest>) => {
    if (data.type === "lock") whenGone(data.name, () => hub.leave(client));
    else hub.take(client, data);
  });
  port.start();
}

export function whenGone(lock: string, run: () => void): void {
  void navigator.locks?.request(lock, run);
}
