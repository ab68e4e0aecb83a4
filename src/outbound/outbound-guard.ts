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
  /** What the operator lets this server reach although it is private. */
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic?: () => number;
}

/** Why a URL is refused, and the flag with which the operator of the server can allow it; null: nothing can. */
export interface OutboundRefusal extends UrlRefusal {
  readonly hint: string | null;
}

export interface OutboundUse {
  /** Peers listen on ports of their own; messages to strangers go to 80 and 443. */
  readonly isAnyPort: boolean;
}

/** The code under which every door reports a URL that the guard refuses. */
export const OUTBOUND_REFUSED = "outbound_refused";

/** The refusal in one line, with its code and the flag. */
export function refusalText({ message, hint }: OutboundRefusal): string {
  return `${OUTBOUND_REFUSED}: ${message} ${hint ?? ""}`.trimEnd();
}

const PEER: OutboundUse = { isAnyPort: true };
/** A name may lead elsewhere a minute later. */
const KNOWN_MS = 60_000;
const KNOWN_MAX = 10_000;
/** Saving a URL does not wait longer for a resolver that is away; connecting checks again. */
const SAVE_RESOLVE_MS = 2_000;

/** Marks the failure of a connection the guard did not allow. */
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
 * Decides which addresses this server may call for its organisations: public ones, and those the operator lists.
 *
 * - `check` when a URL is saved: the text, and the addresses its name has now;
 * - `before` and `lookup` when it is called: the connection goes to an address that was just checked, and to no other;
 * - `known` for lists and routing: what is known at the moment, without waiting.
 *
 * URLs with a user name or password are always refused.
 */
export class OutboundGuard {
  readonly allow: AllowList;
  readonly #resolve: Resolve;
  readonly #monotonic: () => number;
  /** By origin; a refusal found while resolving a name. */
  readonly #known = new Map<string, { readonly refusal: OutboundRefusal | null; readonly until: number }>();

  constructor({ allow = EMPTY_ALLOW_LIST, resolve = resolveName, monotonic }: OutboundGuardOptions = {}) {
    this.allow = allow;
    this.#resolve = resolve;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  /** For a URL that is about to be saved. A name that cannot be resolved now is not refused: connecting checks again. */
  async check(text: string, use: OutboundUse = PEER): Promise<OutboundRefusal | null> {
    const early = this.before(text, use);
    if (early !== null) return early;
    const url = new URL(text);
    const checked = await Promise.race([checkUrl(url, this.#rules(use)), resolverIsLate()]);
    if (checked === null || checked.ok || checked.failure.code === "url_unreachable") return null;
    return withHint(url, checked.failure);
  }

  /** Everything that can be checked without resolving a name. */
  before(text: string, use: OutboundUse = PEER): OutboundRefusal | null {
    const read = checkUrlText(text);
    if (!read.ok) return { ...read.failure, hint: null };
    const refusal = refuseUnresolved(read.value, this.#rules(use));
    return refusal === null ? null : withHint(read.value, refusal);
  }

  /** What is known of a peer's URL now. A name is resolved in the background, again every minute. */
  known(text: string): OutboundRefusal | null {
    const early = this.before(text);
    const url = early === null ? new URL(text) : null;
    if (url === null || isIP(plainHost(url)) !== 0) return early;
    const found = this.#known.get(url.origin);
    if (found !== undefined && found.until > this.#monotonic()) return found.refusal;
    // The answer so far holds until the new one is there, and no second question is asked meanwhile.
    this.#remember(url, found?.refusal ?? null);
    void this.check(text).then((refusal) => this.#remember(url, refusal));
    return found?.refusal ?? null;
  }

  /** Resolves names for connections to `url`: gives checked addresses only, or fails with `OutboundRefused`. */
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
