import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { openGateways } from "../gateway/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { openGovernance } from "./open-governance.ts";

const ORG = "default";

async function governorOn(store: Store, clock = createVirtualClock(0)) {
  const onTrouble = (what: string, error: unknown): never => {
    throw new Error(`${what}: ${String(error)}`);
  };
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const options = { store, directory, clock, isAlone: true, onTrouble };
  return openGovernance({ ...options, startRate: { count: 2, perSeconds: 60 } }).governor;
}

const request = {
  workflow: "w",
  status: "active",
  posture: "bounded_autonomous",
  hasApprovedLaunch: false,
  depth: 0,
  args: {},
  gateway: null,
  keyId: "key_1",
} as const;

describe("a governor", () => {
  it("does not judge by counters that are still being read", async () => {
    const store = createMemoryStore();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Store = new Proxy(store, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== "function") return found;
        if (name !== "readCounters") return found.bind(target) as unknown;
        return async (orgId: string, since: number) => {
          await held;
          return target.readCounters(orgId, since);
        };
      },
    });
    const governor = await governorOn(slow);
    const first = governor.prepare(new Set([ORG]));
    expect(first).toBeDefined();
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    const second = governor.prepare(new Set([ORG]));
    expect(second).toBeDefined();
    release();
    await Promise.all([first, second]);
    expect(governor.prepare(new Set([ORG]))).toBeUndefined();
  });

  it("reads what an organisation has once, however many ask at once, and again after a failure", async () => {
    const store = createMemoryStore();
    let readings = 0;
    const counted: Store = new Proxy(store, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== "function") return found;
        if (name !== "readCounters") return found.bind(target) as unknown;
        return (orgId: string, since: number) => {
          readings += 1;
          return readings === 1 ? Promise.reject(new Error("away")) : target.readCounters(orgId, since);
        };
      },
    });
    const governor = await governorOn(counted);
    const asked = await Promise.allSettled(Array.from({ length: 50 }, async () => governor.prepare(new Set([ORG]))));
    expect(asked.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(readings).toBe(2);
    expect(governor.prepare(new Set([ORG]))).toBeUndefined();
  });

  it("counts the starts of a key as it lets them through, however many ask at once", async () => {
    const governor = await governorOn(createMemoryStore());
    const judgements = await Promise.all(Array.from({ length: 5 }, () => governor.launches.judge(ORG, request)));
    expect(judgements.map(({ disposition }) => disposition)).toEqual(["allow", "allow", "block", "block", "block"]);
    const other = await governor.launches.judge(ORG, { ...request, keyId: "key_2" });
    expect(other.disposition).toBe("allow");
  });

  it("refuses a start that it cannot count, because other processes always take the place first", async () => {
    let tries = 0;
    const takePlaces = async (): Promise<boolean> => {
      tries += 1;
      return false;
    };
    const governor = await governorOn({ ...createMemoryStore(), takePlaces });
    const judgement = await governor.launches.judge(ORG, request);
    expect(judgement).toMatchObject({ disposition: "block", explanation: { code: "rate_limited" } });
    expect(tries).toBe(3);
  });
});
