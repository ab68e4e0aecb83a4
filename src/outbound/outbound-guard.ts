import { isIP, type LookupFunction } from "node:net";
import { EMPTY_ALLOW_LIST, plainHost, type AllowList } from "./allow-list.ts";
import { resolveName } from "./resolve-name.ts";
import {
  checkUrl,
  checkUrlText,
  refuseAddresses,
  refuseUnresolved,
  type Resolve,
  type UrlRefusal,
  type UrlRules,
} from "./url-check.ts";

export interface OutboundGuardOptions {
  /** Private addresses that the operator allows. */
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
  /** A monotonic clock in milliseconds. */
  readonly monotonic?: () => number;
}

/** Why a URL is refused, and the flag that allows it; null when no flag can. */
export interface OutboundRefusal extends UrlRefusal {
  readonly hint: string | null;
}

export interface OutboundUse {
  /** Peers may listen on any port; other requests are limited to ports 80 and 443. */
  readonly isAnyPort: boolean;
}

/** The error code used everywhere for a URL that the guard refuses. */
export const OUTBOUND_REFUSED = "outbound_refused";

/** Returns the refusal in one line, with its code and the flag. */
export function refusalText({ message, hint }: OutboundRefusal): string {
  return `${OUTBOUND_REFUSED}: ${message} ${hint ?? ""}`.trimEnd();
}

const PEER: OutboundUse = { isAnyPort: true };
/** How long a result is cached, because a name may resolve to other addresses later. */
const KNOWN_MS = 60_000;
const KNOWN_MAX = 10_000;
/** Maximum wait for name resolution when a URL is saved. Connecting checks the URL again. */
const SAVE_RESOLVE_MS = 2_000;

/** The error of a connection that the guard refused. */
export class OutboundRefused extends Error {
  readonly code = "EOUTBOUND";
  readonly refusal: OutboundRefusal;
  constructor(refusal: OutboundRefusal) {
    super(refusal.message);
    this.name = "OutboundRefused";
    this.refusal = refusal;
  }
}

/**
 * Decides which addresses this server may call for its organisations: public addresses, and those on the operator's
 * allow list.
 *
 * - `check` when a URL is saved: checks the text, and the addresses its name has now;
 * - `before` and `lookup` when it is called: the connection goes only to an address that was just checked;
 * - `known` for lists and routing: returns the last known result without waiting.
 *
 * URLs with a user name or password are always refused.
 */
export class OutboundGuard {
  readonly allow: AllowList;
  readonly #resolve: Resolve;
  readonly #monotonic: () => number;
  /** By origin: the result of the last name resolution. */
  readonly #known = new Map<string, { readonly refusal: OutboundRefusal | null; readonly until: number }>();

  constructor({ allow = EMPTY_ALLOW_LIST, resolve = resolveName, monotonic }: OutboundGuardOptions = {}) {
    this.allow = allow;
    this.#resolve = resolve;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  /** Checks a URL that is about to be saved. A name that cannot be resolved now is accepted, because connecting checks again. */
  async check(text: string, use: OutboundUse = PEER): Promise<OutboundRefusal | null> {
    const early = this.before(text, use);
    if (early !== null) return early;
    const url = new URL(text);
    const checked = await Promise.race([checkUrl(url, this.#rules(use)), resolverIsLate()]);
    if (checked === null || checked.ok || checked.failure.code === "url_unreachable") return null;
    return withHint(url, checked.failure);
  }

  /** Checks everything that does not need name resolution. */
  before(text: string, use: OutboundUse = PEER): OutboundRefusal | null {
    const read = checkUrlText(text);
    if (!read.ok) return { ...read.failure, hint: null };
    const refusal = refuseUnresolved(read.value, this.#rules(use));
    return refusal === null ? null : withHint(read.value, refusal);
  }

  /** Returns the last known refusal of a peer's URL. The name is resolved again in the background every minute. */
  known(text: string): OutboundRefusal | null {
    const early = this.before(text);
    const url = early === null ? new URL(text) : null;
    if (url === null || isIP(plainHost(url)) !== 0) return early;
    const found = this.#known.get(url.origin);
    if (found !== undefined && found.until > this.#monotonic()) return found.refusal;
    // The old result stays valid until the new one arrives, and no second check starts meanwhile.
    this.#remember(url, found?.refusal ?? null);
    void this.check(text).then((refusal) => this.#remember(url, refusal));
    return found?.refusal ?? null;
  }

  /** Returns a lookup function for connections to `url`. It passes on checked addresses only, or fails with `OutboundRefused`. */
  lookup(url: URL): LookupFunction {
    return (_host, { all: wantsAll }, answer) => {
      this.#resolve(plainHost(url)).then(
        (addresses) => {
          const refusal = refuseAddresses(url, addresses, this.#rules(PEER));
          const refused = refusal === null ? null : withHint(url, refusal);
          this.#remember(url, refused);
          const checked = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = checked;
          if (refused !== null) answer(new OutboundRefused(refused), "");
          else if (first === undefined) answer(new Error(`${plainHost(url)} has no address`), "");
          else if (wantsAll === true) answer(null, checked);
          else answer(null, first.address, first.family);
        },
        (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), ""),
      );
    };
  }

  #remember(url: URL, refusal: OutboundRefusal | null): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(url.origin, { refusal, until: this.#monotonic() + KNOWN_MS });
  }

  #rules({ isAnyPort }: OutboundUse): UrlRules {
    return { allow: this.allow, isListOnly: false, isAnyPort, resolve: this.#resolve };
  }
}

function withHint(url: URL, refusal: UrlRefusal): OutboundRefusal {
  const port = url.port === "" ? "" : `:${url.port}`;
  const entry = `${url.hostname.replace(/\.+$/, "")}${port}`;
  return { ...refusal, hint: `The operator of the server can allow it: --allow-outbound ${entry}` };
}

function resolverIsLate(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, SAVE_RESOLVE_MS, null).unref();
  });
}
