/**
 * Runs beside one page where browsers let no script be shared: the pages agree on one that holds the connection. It is
 * not done in the page itself, whose timers hardly run while it is in the background.
 */
import type { HubMessage, HubRequest } from "./hub.ts";
import { openHub, whenGone } from "./live-script.ts";
import { Member, type Said } from "./member.ts";

// Pages of another build might mean something else by the same words; its scripts have other addresses.
const NAME = `sluice-live ${import.meta.url}`;
// Without locks, as on addresses without TLS, nobody can know who leads: each page does for itself.
const isAlone = typeof BroadcastChannel === "undefined" || navigator.locks === undefined;
const channel = isAlone ? null : new BroadcastChannel(NAME);
const member = new Member({
  id: String(Math.random()),
  openHub,
  // A channel has no target: it reaches the pages of this very address alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  say: (said) => channel?.postMessage(said),
  tell: (news: HubMessage) => self.postMessage(news, { transfer: [] }),
  whenGone,
});
self.addEventListener("message", ({ data }: MessageEvent<HubRequest>) => member.wish(data));
channel?.addEventListener("message", ({ data }: MessageEvent<Said>) => member.hear(data));
if (isAlone) void member.lead();
else void navigator.locks.request(NAME, () => member.lead());
