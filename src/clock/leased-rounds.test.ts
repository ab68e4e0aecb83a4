import { describe, expect, it } from "vitest";
import { LeasedRounds, type Leases } from "./leased-rounds.ts";
import { createVirtualClock } from "./virtual-clock.ts";

describe("rounds under a lease", () => {
  const clock = createVirtualClock(0);
  const held = new Map<string, { readonly holder: string; readonly until: number }>();
  const leases: Leases = {
    takeLease: async (name, holder, ttlMs) => {
      const holds = held.get(name);
      if (holds !== undefined && holds.holder !== holder && holds.until > clock.now()) return false;
      held.set(name, { holder, until: clock.now() + ttlMs });
      return true;
    },
    dropLease: async (name, holder) => {
      if (held.get(name)?.holder === holder) held.delete(name);
    },
  };
  const gone: string[] = [];
  const troubles: string[] = [];
  const rounds = (who: string, over: Partial<Leases> = {}): LeasedRounds =>
    new LeasedRounds({
      leases: { ...leases, ...over },
      clock,
      lease: "herd",
      what: "the herd",
      round: async () => {
        gone.push(`${who} ${clock.now()}`);
      },
      onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
    });

  it("are gone by one, and by the next when it stops", async () => {
    const [first, second] = [rounds("first"), rounds("second")];
    first.start();
    await clock.run(() => gone.length === 1);
    second.start();
    await clock.run(() => gone.length === 3);
    expect(gone).toEqual(["first 0", "first 30000", "first 60000"]);
    await first.stop();
    await clock.run(() => gone.length === 4);
    expect(gone.at(-1)).toBe("second 60000");
    await second.stop();
    expect([...held]).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("continue after a trouble, and report what could not be looked after or handed on", async () => {
    let asked = 0;
    const away = async (): Promise<never> => {
      asked += 1;
      throw new Error("away");
    };
    const cut = rounds("cut", { takeLease: away, dropLease: away });
    cut.start();
    await clock.run(() => asked === 2);
    await cut.stop();
    expect(troubles).toEqual([
      "the herd could not be looked after: Error: away",
      "the herd could not be looked after: Error: away",
      "the watch over the herd could not be handed on: Error: away",
    ]);
  });
});
