import { attach, openHub } from "./live-script.ts";

const hub = openHub();
self.addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port !== undefined) attach(hub, port);
});
