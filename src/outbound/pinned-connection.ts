import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { succeed, type Outcome } from "../core/base/index.ts";
import { isSameAddress } from "./address.ts";
import { textOf } from "./exchange.ts";
import { refuse, type CheckedUrl, type UrlRefusal } from "./url-check.ts";

/** Connects to one of the checked addresses only. No part of a request is sent before it resolves. */
export function connectPinned(checked: CheckedUrl, signal: AbortSignal): Promise<Outcome<Socket, UrlRefusal>> {
  const { host, addresses } = checked;
  if (signal.aborted) return Promise.resolve(refuse("url_unreachable", `The request to ${host} is no longer wanted.`));
  const isSecure = checked.url.protocol === "https:";
  const socket = open(checked, isSecure);
  const onAbort = (): void => {
    socket.destroy();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return new Promise((resolve) => {
    socket.on("error", (error) => {
      resolve(refuse("url_unreachable", `${host} cannot be reached: ${textOf(error)}`));
    });
    socket.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      resolve(refuse("url_unreachable", `${host} ended the connection at once.`));
    });
    // The pinned lookup already decides the address. Checked again in case something in between ignores it.
    socket.once("connect", () => {
      const actual = socket.remoteAddress ?? "";
      if (addresses.some((address) => isSameAddress(address, actual))) return;
      resolve(refuse("url_private", `The connection to ${host} ended up at ${actual}, which was not checked.`));
      socket.destroy();
    });
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      if (!socket.destroyed) resolve(succeed(socket));
    });
  });
}

function open({ host, port, addresses }: CheckedUrl, isSecure: boolean): Socket {
  const options = { host, port, lookup: pinned(addresses), autoSelectFamily: true };
  if (!isSecure) return connectTcp(options);
  // For an address, the certificate is checked against the address, and there is no server name to send.
  return connectTls({ ...options, servername: isIP(host) === 0 ? host : "", ALPNProtocols: ["http/1.1"] });
}

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all: wantsAll }, answer) => {
    const [first] = all;
    if (wantsAll === true) answer(null, all);
    else if (first === undefined) answer(new Error("no address was checked"), "");
    else answer(null, first.address, first.family);
  };
}
