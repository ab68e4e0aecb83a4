import { describe, expect, it } from "vitest";
import { NOTHING_REGISTERED } from "../../test/governance/scene.ts";
import { createVirtualClock } from "../clock/index.ts";
import type { Registered } from "./registered.ts";
import { RegisteredCache } from "./registered-cache.ts";

const ORG = "default";

const withPlatform = (isOpen: boolean): Registered => ({ ...NOTHING_REGISTERED, platform: { isOpen, reason: null } });

/** What is registered, and how often it was read. */
class Registry {
  readonly clock = createVirtualClock(0);
  readonly troubles: string[] = [];
  version = 1;
  isOpen = true;
  loads = 0;
  isAway = false;
  /** Set: the next load answers only when released. */
  hold: Promise<void> | null = null;

  readonly cache = new RegisteredCache({
    load: async () => {
      this.loads += 1;
      const seen = withPlatform(this.isOpen);
      const { hold } = this;
      this.hold = null;
      await hold;
      return seen;
    },
    versions: async () => {
      if (this.isAway) throw new Error("away");
      return new Map([[ORG, this.version]]);
    },
    clock: this.clock,
    onTrouble: (what) => this.troubles.push(what),
  });

  change(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.version += 1;
  }

  async until(at: number): Promise<void> {
    let isThen = false;
    this.clock.after(at - this.clock.now(), () => {
      isThen = true;
    });
    await this.clock.run(() => isThen);
  }
}

describe("what is registered", () => {
  it("is read once, and again only when its number has changed", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    await registry.cache.ensure([ORG]);
    registry.cache.start();
    await registry.until(10_000);
    expect(registry.loads).toBe(1);
    expect(() => registry.cache.of("other")).toThrow("nothing is known of the organisation other");
  });

  it("counts within a second of a change elsewhere", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    registry.cache.start();
    await registry.until(1_500);
    registry.change(false);
    await registry.until(1_999);
    expect(registry.cache.of(ORG).platform.isOpen).toBe(true);
    await registry.until(2_001);
    expect(registry.cache.of(ORG).platform.isOpen).toBe(false);
  });

  it("counts at once where it was changed", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    registry.change(false);
    await registry.cache.refresh(ORG);
    expect(registry.cache.of(ORG).platform.isOpen).toBe(false);
  });

  it("is not undone by an older look that took longer", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    registry.change(true);
    let release: () => void = () => undefined;
    registry.hold = new Promise((resolve) => {
      release = resolve;
    });
    const slow = registry.cache.refresh(ORG);
    await Promise.resolve();
    await Promise.resolve();
    registry.change(false);
    await registry.cache.refresh(ORG);
    release();
    await slow;
    expect(registry.cache.of(ORG).platform.isOpen).toBe(false);
  });

  it("stays as it was while the database is away, and is read when it is back", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    registry.cache.start();
    registry.isAway = true;
    registry.change(false);
    await registry.until(2_500);
    expect(registry.cache.of(ORG).platform.isOpen).toBe(true);
    expect(registry.troubles).toEqual(Array(2).fill("what is registered could not be read"));
    registry.isAway = false;
    await registry.until(3_001);
    expect(registry.cache.of(ORG).platform.isOpen).toBe(false);
  });

  it("is looked at no more once stopped", async () => {
    const registry = new Registry();
    await registry.cache.ensure([ORG]);
    registry.cache.start();
    registry.cache.stop();
    registry.cache.start();
    registry.change(false);
    expect(await registry.clock.run(() => false)).toBe(false);
    expect(registry.loads).toBe(1);
  });
});
