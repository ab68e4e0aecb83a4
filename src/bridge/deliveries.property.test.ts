import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { stubAdapter, stubRequest } from "../../test/gateway/stub-adapter.ts";
import type { Adapter, AdapterRequest, AdapterResult } from "../adapter/index.ts";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import type { PeerFailure, PeerReply, PeerRequest } from "../outbound/index.ts";
import { appendBytes } from "./append.ts";
import { Deliveries } from "./deliveries.ts";
import { Executions } from "./executions.ts";
import { Journal } from "./journal.ts";
import { Outbox } from "./outbox.ts";

const IDS = ["a", "b", "c", "d", "e"] as const;
const URL_A = "http://127.0.0.1:1/api/workflow/step-complete";

const request = (dispatchId: string): AdapterRequest =>
  stubRequest({
    dispatchId,
    callbackUrl: URL_A,
    effects: dispatchId < "c" ? "at_most_once" : "at_least_once",
  });

/** What outlives every Bridge: the directory, the server, and what really happened. */
class World {
  readonly directory = mkdtempSync(join(tmpdir(), "sluice-crash-"));
  readonly delivered = new Map<string, number>();
  readonly calls = new Map<string, number>();
  /** Ends that reached the disk: only those can be asked of the next life. */
  readonly written = new Set<string>();
  mood: "takes" | "fails" | "is away" | "knows no batch" = "takes";
  /** How many bytes of the next write reach the disk before the kill. */
  tearAt: number | null = null;
}

class Life {
  readonly clock: VirtualClock;
  readonly #world: World;
  readonly #executions: Executions;
  readonly #open = new Map<string, (result: AdapterResult) => void>();
  readonly deliveries: Deliveries;
  isDead = false;

  constructor(world: World, now: number) {
    this.#world = world;
    this.clock = createVirtualClock(now);
    const { directory } = world;
    const outbox = new Outbox({
      directory: join(directory, "outbox"),
      clock: this.clock,
      segmentBytesMax: 600,
      append: (path, bytes) => {
        if (world.tearAt === null) return appendBytes(path, bytes);
        appendBytes(path, bytes.subarray(0, world.tearAt));
        this.isDead = true;
      },
    });
    const journal = new Journal({ directory, now });
    this.#executions = new Executions({ adapters: [this.#adapter()], clock: this.clock, archive: outbox, journal });
    const send = (url: string, sent: PeerRequest) => this.#answer(url, String(sent.body));
    this.deliveries = new Deliveries({ clock: this.clock, outbox, send, token: () => "t", jitter: () => 0 });
    this.deliveries.resume();
  }

  dispatch(id: string): void {
    const answer = this.#executions.start(request(id), this.deliveries.reportOf(request(id)));
    if (answer === "accepted") expect(this.#world.written.has(id), `${id} had ended and began again`).toBe(false);
  }

  end(id: string): void {
    this.#open.get(id)?.({ status: "completed", stdout: id });
  }

  async turn(turns: number): Promise<void> {
    for (let count = 0; count < turns && !this.isDead; count += 1) {
      let isOver = false;
      this.clock.after(0, () => (isOver = true));
      await this.clock.run(() => isOver || this.isDead);
    }
  }

  #adapter(): Adapter {
    const { calls } = this.#world;
    return stubAdapter({
      execute: ({ dispatchId, effects }) => {
        calls.set(dispatchId, (calls.get(dispatchId) ?? 0) + 1);
        if (effects === "at_most_once") expect(calls.get(dispatchId), `${dispatchId} ran twice`).toBe(1);
        return new Promise((resolve) => this.#open.set(dispatchId, resolve));
      },
    });
  }

  #answer(url: string, text: string): Promise<PeerReply | PeerFailure> {
    if (this.isDead) return new Promise(() => undefined);
    const isBatch = url.endsWith("/batch");
    const body = JSON.parse(text) as { dispatchId: string; callbacks?: { dispatchId: string }[] };
    const ids = (body.callbacks ?? [body]).map(({ dispatchId }) => dispatchId);
    // Whatever is sent was written before: the next life must know it.
    for (const id of ids) this.#world.written.add(id);
    const reply = (status: number): Promise<PeerReply> => {
      const results = ids.map(() => ({ status }));
      return Promise.resolve({
        ok: true,
        status: isBatch ? 200 : status,
        headers: {},
        text: JSON.stringify({ results }),
      });
    };
    switch (this.#world.mood) {
      case "is away":
        return Promise.resolve({ ok: false, reason: "refused", wasSent: false, message: "" });
      case "fails":
        return reply(500);
      case "knows no batch":
        if (isBatch) return Promise.resolve({ ok: true, status: 404, headers: {}, text: "" });
        break;
      case "takes":
        break;
    }
    for (const id of ids) this.#world.delivered.set(id, (this.#world.delivered.get(id) ?? 0) + 1);
    return reply(200);
  }
}

const id = fc.constantFrom(...IDS);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("dispatch" as const), id }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("end" as const), id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("turn" as const), turns: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mood" as const),
      mood: fc.constantFrom("takes" as const, "fails" as const, "is away" as const, "knows no batch" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), tearAt: fc.option(fc.nat({ max: 400 })) }) },
);

it("delivers whatever ended and was written, through any kills and refusals, and begins none of it again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const world = new World();
      try {
        let life = new Life(world, 1_000);
        const rise = (): void => {
          world.tearAt = null;
          life = new Life(world, life.clock.now() + 1);
        };
        for (const one of acts) {
          if (one.do === "dispatch") life.dispatch(one.id);
          else if (one.do === "end") life.end(one.id);
          else if (one.do === "mood") world.mood = one.mood;
          else if (one.do === "turn") await life.turn(one.turns);
          else {
            world.tearAt = one.tearAt;
            if (one.tearAt !== null) await life.turn(2);
            life.isDead = true;
            rise();
          }
        }
        world.mood = "takes";
        life.isDead = true;
        rise();
        const last = life;
        await last.clock.run(() => last.deliveries.pendingCount === 0);
        for (const known of world.written) {
          expect(world.delivered.get(known) ?? 0, `${known} was never delivered`).toBeGreaterThan(0);
          last.dispatch(known);
        }
      } finally {
        rmSync(world.directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 150 },
  );
});
