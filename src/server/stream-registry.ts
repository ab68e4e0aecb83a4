import type { KeyStore, RunRecord, SessionStore, WatchedSession } from "../store/index.ts";
import type { Principal } from "./auth.ts";
import type { ApiConfig } from "./config.ts";
import { EventStream } from "./event-stream.ts";
import type { OrgFeed } from "./org-feed.ts";
import { LiveStream, type LiveSetup } from "./live-stream.ts";
import { isExpired, KeyWatch } from "./key-watch.ts";
import { Refused } from "./problem.ts";
import type { PulledSetup, PulledStream } from "./pulled-stream.ts";
import type { Tail } from "./tail.ts";

interface Opening extends Pick<PulledSetup, "closeConnection" | "isStillAllowed"> {
  readonly signal: AbortSignal;
  /** The owner of the stream. */
  readonly principal: StreamOwner;
}

export type StreamOwner = Pick<Principal, "orgId" | "keyId" | "expiresAt" | "sessionId">;

export interface RunOpening extends Opening {
  readonly run: RunRecord;
  readonly afterEventId: number;
}

export interface LiveOpening extends Opening, Pick<LiveSetup, "orgId" | "runs" | "hasApprovals"> {}

type Store = Pick<KeyStore, "listEndedKeys"> & Pick<SessionStore, "listEndedSessions">;

/** All open streams of this process, with one heartbeat and one check of keys and sessions for all of them. */
export class StreamRegistry {
  readonly #tail: Tail;
  readonly #live: OrgFeed;
  readonly #config: ApiConfig;
  readonly #streams = new Map<PulledStream, StreamOwner>();
  /** Number of streams by organisation, and by key. */
  readonly #ofOrganisation = new Map<string, number>();
  readonly #ofPrincipal = new Map<string, number>();
  readonly #keys: KeyWatch;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(store: Store, tail: Tail, live: OrgFeed, config: ApiConfig) {
    this.#tail = tail;
    this.#live = live;
    this.#config = config;
    this.#keys = new KeyWatch({
      store,
      config,
      owners: () => [...this.#streams.values()],
      onKeyEnded: (keyId) => this.expire(keyId),
      onExpired: (now) => this.#expireUntil(now),
      onSessionEnded: (session) => this.expireSession(session),
    });
  }

  get size(): number {
    return this.#streams.size;
  }

  countOf(orgId: string): number {
    return this.#ofOrganisation.get(orgId) ?? 0;
  }

  /** Opens a stream of one run. */
  open({ signal, principal, ...opening }: RunOpening): ReadableStream<Uint8Array> {
    return this.#add(signal, principal, (given) => new EventStream({ ...given, ...opening }));
  }

  /** Opens a stream of an organisation. */
  openLive({ signal, principal, ...opening }: LiveOpening): ReadableStream<Uint8Array> {
    return this.#add(signal, principal, (given) => new LiveStream({ ...given, ...opening, live: this.#live }));
  }

  /** Ends the streams of a key that is no longer valid. */
  expire(keyId: string): void {
    for (const [stream, owner] of this.#streams) if (owner.keyId === keyId) stream.expire();
  }

  /** Ends the streams of a session that has ended; with an organisation, only those that watch it. */
  expireSession({ id, orgId }: Pick<WatchedSession, "id"> & Partial<WatchedSession>): void {
    for (const [stream, owner] of this.#streams) {
      if (owner.sessionId === id && (orgId === undefined || owner.orgId === orgId)) stream.expire();
    }
  }

  /** Ends the streams of an organisation that has moved; clients reconnect to its new cell. */
  endOf(orgId: string): void {
    for (const [stream, owner] of this.#streams) if (owner.orgId === orgId) stream.end();
  }

  /** Ends all streams and accepts no more; clients reconnect to another replica. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams.keys()) stream.end();
  }

  #add(
    signal: AbortSignal,
    owner: StreamOwner,
    make: (given: Pick<LiveSetup, "tail" | "config" | "onClosed">) => PulledStream,
  ): ReadableStream<Uint8Array> {
    this.#requireRoom(owner);
    const stream = make({
      tail: this.#tail,
      config: this.#config,
      onClosed: (closed) => this.#forget(closed),
    });
    this.#streams.set(stream, owner);
    this.#count(owner, 1);
    this.#timer ??= setInterval(() => this.#beat(), this.#config.heartbeatMs).unref();
    this.#keys.start();
    // A client may disconnect before its response begins, and then the body is not cancelled.
    if (signal.aborted) stream.end();
    else signal.addEventListener("abort", () => stream.end(), { once: true });
    return stream.body;
  }

  /** Ends the streams whose own key or token has expired. Tokens of one subject share a key id, but each has its own expiry. */
  #expireUntil(now: number): void {
    for (const [stream, owner] of this.#streams) if (isExpired(owner, now)) stream.expire();
  }

  /** Limits the streams, so that one caller cannot use up those of all others, nor one organisation those of the process. */
  #requireRoom({ orgId, keyId }: StreamOwner): void {
    const { streamsMax, streamsPerOrganisationMax, streamsPerPrincipalMax } = this.#config;
    const ofOrganisation = streamsPerOrganisationMax(orgId);
    const headers = { "retry-after": "2" };
    if (this.#isClosed || this.#streams.size >= streamsMax) {
      throw new Refused("too_many_streams", `This process serves at most ${streamsMax} streams at once.`, { headers });
    }
    if ((this.#ofPrincipal.get(principalKey({ orgId, keyId })) ?? 0) >= streamsPerPrincipalMax) {
      const detail = `A key or token has at most ${streamsPerPrincipalMax} streams open at once; close one first.`;
      throw new Refused("stream_limit", detail, { headers });
    }
    if (this.countOf(orgId) >= ofOrganisation) {
      const detail = `The organisation has at most ${ofOrganisation} streams open at once in one process.`;
      throw new Refused("stream_limit", detail, { headers });
    }
  }

  #beat(): void {
    for (const stream of this.#streams.keys()) {
      stream.beat().catch((error: unknown) => {
        // While the database is unavailable, keys cannot be checked, but no events arrive either.
        this.#config.onTrouble("a heartbeat failed", error);
      });
    }
  }

  #count({ orgId, keyId }: StreamOwner, by: 1 | -1): void {
    add(this.#ofOrganisation, orgId, by);
    add(this.#ofPrincipal, principalKey({ orgId, keyId }), by);
  }

  #forget(stream: PulledStream): void {
    const owner = this.#streams.get(stream);
    if (owner === undefined) return;
    this.#streams.delete(stream);
    this.#count(owner, -1);
    if (this.#streams.size > 0) return;
    this.#keys.stop();
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

function principalKey({ orgId, keyId }: Pick<StreamOwner, "orgId" | "keyId">): string {
  return `${orgId}/${keyId}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
