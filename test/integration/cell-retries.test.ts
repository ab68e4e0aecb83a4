import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/cli/command-line.ts";
import type { Interruption } from "../../src/cli/io.ts";
import { type Clock, createSystemClock } from "../../src/clock/index.ts";
import { ioOf } from "../cli/terminal.ts";
import { ADMIN_KEY, ask, type CellsGround, createCells } from "./support/cells-ground.ts";

const plain = (text: string): { name: string; text: string } => ({ name: "", text });

/** A clock that knows the timers which have neither fired nor been stopped. */
class CountingClock implements Clock {
  readonly open = new Set<number>();
  readonly #clock = createSystemClock();
  #last = 0;

  now(): number {
    return this.#clock.now();
  }

  after(delayMs: number, fire: () => void): () => void {
    const id = (this.#last += 1);
    this.open.add(id);
    const stop = this.#clock.after(delayMs, () => {
      this.open.delete(id);
      fire();
    });
    return () => {
      this.open.delete(id);
      stop();
    };
  }
}

describe("a server with a cell that cannot be used at the start", () => {
  let ground: CellsGround;
  let clock: CountingClock;
  let interrupt: (why: Interruption) => void;
  let written: { out: string; err: string };
  beforeEach(async () => {
    ground = await createCells(["north", "south"]);
    clock = new CountingClock();
    written = { out: "", err: "" };
  });
  afterEach(() => ground.dispose());

  /** Runs `sluice serve` in this process, so that its timers can be counted. */
  function serve(): Promise<number> {
    const io = ioOf(written, {
      cwd: ground.directory,
      env: { SLUICE_DATA: join(ground.directory, "data") },
      clock,
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => undefined;
      },
    });
    return main(["serve", "--json", "--port", "0", "--cells", ground.file, "--key", ADMIN_KEY], io);
  }

  const url = (): string => (JSON.parse(written.out) as { readonly url: string }).url;
  const refusals = (): number => written.err.split("the cell south cannot be used yet").length - 1;
  const isReady = async (): Promise<unknown> => {
    const { body } = await ask(url(), ADMIN_KEY, "GET", "/api/v1/cells");
    return (body["data"] as readonly { readonly isReady: boolean }[]).map((cell) => cell.isReady);
  };
  /** No replica can register itself in the cell, so that its runs cannot be driven. */
  async function refuseReplicas(): Promise<void> {
    const south = ground.sql("south");
    await south.query(
      plain("create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$"),
    );
    await south.query(plain("create trigger refuse before insert on replicas execute function refuse()"));
  }

  it("opens the cell when it can, and leaves nothing behind of the times when it could not", async () => {
    await refuseReplicas();
    await ground.close("south", "north");
    const served = serve();
    await expect.poll(() => written.out).not.toBe("");
    await ground.open("south", "north");
    await expect.poll(() => written.err).toContain("not now");
    const before = refusals();
    await expect.poll(refusals).toBeGreaterThan(before);
    expect(await isReady()).toEqual([true, false]);
    await ground.sql("south").query(plain("drop trigger refuse on replicas"));
    await expect.poll(isReady).toEqual([true, true]);
    interrupt("terminate");
    expect([await served, clock.open.size]).toEqual([0, 0]);
  });

  it("stops while it tries to open the cell, and does not open it after that", async () => {
    await ground.close("south", "north");
    const served = serve();
    await expect.poll(() => written.out).not.toBe("");
    await ground.open("south", "north");
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await ground.sql("south").transaction(async (within) => {
      await within.query(plain("lock table replicas"));
      await expect.poll(async () => (await ground.sql("south").query(plain(waiting))).length).toBe(1);
      interrupt("terminate");
      await expect.poll(() => ask(url(), null, "GET", "/healthz").catch(() => "closed")).toBe("closed");
    });
    expect([await served, clock.open.size]).toEqual([0, 0]);
  });

  it("leaves nothing behind when the start fails", async () => {
    await refuseReplicas();
    expect(await serve()).not.toBe(0);
    expect([written.out, written.err, clock.open.size]).toEqual(["", expect.stringContaining("not now"), 0]);
  });
});
