/**
 * Runs beside one page in browsers without shared workers: the pages agree on one that holds the connection. The page
 * itself does not, because its timers are throttled in the background.
 */
import type { HubMessage, HubRequest } from "./hub.ts";
import { openHub, whenGone } from "./live-script.ts";
import { Member, type PeerMessage } from "./member.ts";

// Pages of another build may use other messages; their scripts have other addresses.
const NAME = `${self.name} ${import.meta.url}`;
// Without locks, as on addresses without TLS, pages cannot agree on a leader: each page leads for itself.
const isAlone = typeof BroadcastChannel === "undefined" || navigator.locks === undefined;
const channel = isAlone ? null : new BroadcastChannel(NAME);
const member = new Member({
  id: String(Math.random()),
  openHub,
  // A channel has no target: it reaches the pages of this very address alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  broadcast: (message) => channel?.postMessage(message),
  deliver: (message: HubMessage) => self.postMessage(message, { transfer: [] }),
  whenGone,
});
self.addEventListener("message", ({ data }: MessageEvent<HubRequest>) => member.request(data));
channel?.addEventListener("message", ({ data }: MessageEvent<PeerMessage>) => member.receive(data));
if (isAlone) void member.lead();
else void navigator.locks.request(NAME, () => member.lead());
