/**
 * Worker of one page in browsers without shared workers, where the pages agree on one that holds the connection. The
 * code is not in the page itself because timers of background pages are throttled.
 */
import type { HubMessage, HubRequest } from "./hub.ts";
import { openHub, whenGone } from "./live-script.ts";
import { Member, type PeerMessage } from "./member.ts";

// A page of another build may use other messages. Its script has another address, so its channel has another name.
const NAME = `${self.name} ${import.meta.url}`;
// Locks are missing on addresses without TLS. Pages then cannot agree on a leader, so each page leads for itself.
const isAlone = typeof BroadcastChannel === "undefined" || navigator.locks === undefined;
const channel = isAlone ? null : new BroadcastChannel(NAME);
const member = new Member({
  id: String(Math.random()),
  openHub,
  // A broadcast channel has no target. It reaches only pages of the same origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  broadcast: (message) => channel?.postMessage(message),
  deliver: (message: HubMessage) => self.postMessage(message, { transfer: [] }),
  whenGone,
});
self.addEventListener("message", ({ data }: MessageEvent<HubRequest>) => member.request(data));
channel?.addEventListener("message", ({ data }: MessageEvent<PeerMessage>) => member.receive(data));
if (isAlone) void member.lead();
else void navigator.locks.request(NAME, () => member.lead());
