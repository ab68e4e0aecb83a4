import type { App } from "../../src/server/index.ts";

/** Where an app without a socket seems to be. */
export const HERE = "http://localhost";

/** A browser without pages: it keeps cookies, follows redirects and fills in the form of the test provider. */
export class Visitor {
  readonly #app: Pick<App, "request">;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(app: Pick<App, "request">) {
    this.#app = app;
  }

  /** The cookies for this server. */
  get cookie(): string {
    return this.#cookieFor(HERE);
  }

  setCookie(name: string, value: string): void {
    this.#jar(HERE).set(name, value);
  }

  /** One request, without following what it leads to. */
  async go(address: string, init: { method?: string; body?: string; headers?: Record<string, string> } = {}) {
    const url = new URL(address, HERE);
    const headers = {
      cookie: this.#cookieFor(url.origin),
      "user-agent": "a visitor",
      ...(init.body === undefined
        ? {}
        : {
            "content-type": "application/x-www-form-urlencoded",
            "content-length": String(Buffer.byteLength(init.body)),
            origin: url.origin,
          }),
      ...init.headers,
    };
    const sent = { ...init, headers, redirect: "manual" as const };
    const response = url.origin === HERE ? await this.#app.request(url.href, sent) : await fetch(url, sent);
    for (const line of response.headers.getSetCookie()) this.#keep(url.origin, line);
    return response;
  }

  /** Signs in at the provider under a name; the last answer of this server, which is not followed. */
  async signIn(name: string, start = "/auth/test/start"): Promise<Response> {
    let address = new URL(start, HERE).href;
    for (let step = 0; step < 20; step += 1) {
      const response = await this.go(address);
      const isBack = address.startsWith(`${HERE}/auth/test/callback`);
      if (isBack) return response;
      const next = await this.#next(response, address, name);
      if (next === null) return response;
      address = next;
    }
    throw new Error("the sign-in leads nowhere");
  }

  /** The address the provider sends the browser back to, without going there. */
  async addressOfReturn(name: string, start = "/auth/test/start"): Promise<string> {
    let address = new URL(start, HERE).href;
    while (!address.startsWith(`${HERE}/auth/test/callback`)) {
      const next = await this.#next(await this.go(address), address, name);
      if (next === null) throw new Error(`stopped at ${address}`);
      address = next;
    }
    return address;
  }

  async #next(response: Response, address: string, name: string): Promise<string | null> {
    const location = response.headers.get("location");
    if (location !== null) return new URL(location, address).href;
    if (!address.includes("/interaction/")) return null;
    const sent = await this.go(address, { method: "POST", body: new URLSearchParams({ login: name }).toString() });
    const after = sent.headers.get("location");
    return after === null ? null : new URL(after, address).href;
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }

  #cookieFor(origin: string): string {
    return [...this.#jar(origin)].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(origin: string, line: string): void {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value === "" || /max-age=0/i.test(line)) this.#jar(origin).delete(name);
    else this.#jar(origin).set(name, value);
  }
}
