import type { Json, JsonObject } from "../../../src/core/base/index.ts";
import type { Judge, Ruling } from "../../../src/governance/index.ts";
import { WaitingRoom } from "../../../src/governance/waiting-room.ts";
import type { Entry, EntryKind, RunCommit, Store } from "../../../src/store/index.ts";
import type { PlayOptions } from "./play-report.ts";

/** A planted bug and the invariant whose checker has to notice it. */
export interface GovernanceMutant {
  readonly invariant: string;
  readonly bug: string;
  readonly options: PlayOptions;
  /** Where the search begins; what shows rarely is met sooner from there. */
  readonly from?: number;
  /** For bugs inside: what is broken, and how it is repaired again. */
  readonly plant?: () => () => void;
}

/** A store with one method behaving badly. */
function lying<K extends keyof Store>(name: K, make: (store: Store) => Store[K]): PlayOptions {
  return {
    lie: (store) =>
      new Proxy(store, {
        get: (target, key) => {
          if (key === name) return make(target);
          const found: unknown = Reflect.get(target, key);
          return typeof found === "function" ? (found.bind(target) as unknown) : found;
        },
      }),
  };
}

/** What is registered is read wrongly. */
function misread(kind: EntryKind, change: (body: JsonObject) => JsonObject | null): PlayOptions {
  return lying("listEntries", (store) => async (orgId, asked, page) => {
    const listed = await store.listEntries(orgId, asked, page);
    if (asked !== kind) return listed;
    const data = listed.data.flatMap((entry): Entry[] => {
      const body = change(entry.body);
      return body === null ? [] : [{ ...entry, body }];
    });
    return { ...listed, data };
  });
}

const more = (value: Json | undefined, by: number): number => (typeof value === "number" ? value + by : by);

function tampered(change: (commit: RunCommit) => Partial<RunCommit>): PlayOptions {
  return { tamper: (batch) => batch.map((commit) => ({ ...commit, ...change(commit) })) };
}

/** The governor with some of its methods behaving badly. */
function disguised(parts: (judge: Judge) => Partial<Judge>): PlayOptions {
  return {
    disguise: (judge) =>
      new Proxy(judge, {
        get: (target, name) => {
          const own: unknown = Reflect.get(parts(target), name);
          const found: unknown = own ?? Reflect.get(target, name);
          return typeof found === "function" ? (found.bind(target) as unknown) : found;
        },
      }),
  };
}

function ruled(change: (ruling: Ruling) => Partial<Ruling>): PlayOptions {
  return disguised((judge) => ({
    decide(request, about) {
      const ruling = judge.decide(request, about);
      return { ...ruling, ...change(ruling) };
    },
  }));
}

const ANY_VERSION = Array.from({ length: 9 }, (_, index) => `ask-first@${index + 1}`);

export const GOVERNANCE_MUTANTS: readonly GovernanceMutant[] = [
  {
    invariant: "G1",
    bug: "an agent has one slot more than it was given",
    options: misread("agent", (body) => ({ ...body, max_concurrent: more(body["max_concurrent"], 1) })),
  },
  {
    invariant: "G2",
    bug: "a window takes one dispatch more",
    options: misread("agent", (body) => {
      const rate = body["rate_limit"] as JsonObject | null | undefined;
      if (rate === null || rate === undefined) return body;
      return { ...body, rate_limit: { ...rate, count: more(rate["count"], 1) } };
    }),
  },
  {
    invariant: "G2",
    bug: "windows are not counted where several count",
    options: tampered(({ slots }) => ({ slots: slots.map((slot) => ({ ...slot, rate: null })) })),
  },
  {
    invariant: "G3",
    bug: "a slot is not given back",
    options: tampered(({ slots }) => ({ slots: slots.filter(({ delta }) => delta >= 0) })),
  },
  {
    invariant: "G3",
    bug: "a slot is given back twice when its node is cancelled",
    options: tampered(({ slots, events }) =>
      events.some(({ type }) => type === "node.cancelled")
        ? { slots: slots.map((slot) => ({ ...slot, delta: slot.delta < 0 ? slot.delta - 1 : slot.delta })) }
        : {},
    ),
  },
  {
    invariant: "G4",
    bug: "what was spent is not booked",
    options: disguised(() => ({ settle: () => [] })),
  },
  {
    invariant: "G4",
    bug: "late costs are booked in the period in which they arrive",
    options: tampered(({ ledger, events }) => {
      const cost = events.find(({ type }) => type === "cost.recorded");
      const day = 86_400_000;
      const today = cost === undefined ? 0 : cost.at - (cost.at % day);
      return {
        ledger: ledger.map((part) =>
          part.spent > 0 && part.reserved === 0 && part.periodStart % day === 0 && part.periodStart < today
            ? { ...part, periodStart: today }
            : part,
        ),
      };
    }),
  },
  {
    invariant: "G4",
    bug: "a reservation outlives its attempt",
    options: tampered(({ ledger }) => ({
      ledger: ledger.map((part) => ({ ...part, reserved: Math.max(0, part.reserved) })),
    })),
  },
  {
    invariant: "G4",
    bug: "only what an agent does under a ceiling of its own is booked, and not what counts towards its role's",
    options: misread("binding", withoutBound),
  },
  {
    invariant: "G5",
    bug: "a budget is taken for more than it is",
    options: misread("budget", (body) => {
      const micros = Math.round(more(body["amount_usd"], 0.001) * 1_000_000);
      return { ...body, amount_usd: micros / 1_000_000 };
    }),
  },
  {
    invariant: "G6",
    bug: "usage is not written",
    options: tampered(() => ({ usage: [] })),
  },
  {
    invariant: "G7",
    bug: "nothing is kept of verdicts that allow",
    options: ruled(({ verdict }) => (verdict.disposition === "allow" ? { record: null } : {})),
  },
  {
    invariant: "G8",
    bug: "another gate is named than the one that failed first",
    options: ruled(({ record }) =>
      record === null || record.disposition !== "block" ? {} : { record: { ...record, gate: "policy_rules" } },
    ),
  },
  {
    invariant: "G8",
    bug: "a verdict is judged without those who wait",
    options: ruled(({ record }) => {
      if (record === null || record.code !== "agent_busy") return {};
      const body = JSON.parse(record.bodyText) as { readonly facts: JsonObject };
      const facts = { ...body.facts, openAttempts: 0, waitingAhead: 0 };
      return { record: { ...record, bodyText: JSON.stringify({ ...body, facts }) } };
    }),
  },
  {
    invariant: "G9",
    bug: "an answered approval stays in the inbox",
    options: tampered(() => ({ approvalsClosed: [] })),
  },
  {
    invariant: "G9",
    bug: "an approval is opened without a person being asked",
    options: tampered(() => ({ approvalsOpened: [] })),
  },
  {
    invariant: "G10",
    bug: "policies are not read",
    options: misread("policy", () => null),
  },
  {
    invariant: "G10",
    bug: "a yes to one version of a policy counts for every other",
    options: disguised((judge) => ({
      decide: (request, about) =>
        judge.decide({ ...request, grants: request.grants.length === 0 ? [] : ANY_VERSION }, about),
    })),
  },
  {
    invariant: "G11",
    bug: "the kill switch is not looked at",
    options: lying("getPlatform", () => async () => ({ isOpen: true, reason: null })),
  },
  {
    invariant: "G12",
    bug: "a new node takes a slot from those that wait",
    options: {},
    plant: () => {
      const right = Object.getOwnPropertyDescriptor(WaitingRoom.prototype, "ahead") ?? {};
      Object.defineProperty(WaitingRoom.prototype, "ahead", { ...right, value: () => 0 });
      return () => void Object.defineProperty(WaitingRoom.prototype, "ahead", right);
    },
  },
  {
    invariant: "G13",
    bug: "no waiting node is ever woken",
    options: disguised(() => ({ attach: () => undefined })),
  },
  {
    invariant: "G13",
    bug: "a run does not see what it spends itself",
    options: disguised((judge) => ({
      decide: (request, { returned: _unseen, ...about }) => judge.decide(request, about),
    })),
  },
  {
    invariant: "G14",
    bug: "the bound of a role is taken for more than it is",
    options: misread("binding", (body) =>
      body["max_spend_usd"] === undefined
        ? body
        : { ...body, max_spend_usd: Math.round(more(body["max_spend_usd"], 0.0005) * 1_000_000) / 1_000_000 },
    ),
  },
  {
    invariant: "G14",
    bug: "an agent in a role keeps its own ceiling",
    options: misread("binding", withoutBound),
  },
  {
    invariant: "G14",
    bug: "the bound of a role is not compared where several count",
    from: 100,
    options: tampered(({ ledger }) => ({ ledger: ledger.map((part) => ({ ...part, ceiling: null })) })),
  },
  {
    invariant: "G15",
    bug: "what a child spends after its end is recorded nowhere above",
    options: costsOfChildren((costMicros, isLate) => (isLate ? 0 : costMicros)),
  },
  {
    invariant: "G15",
    bug: "what a child spends is counted twice above",
    options: costsOfChildren((costMicros) => costMicros * 2),
  },
  {
    invariant: "G15",
    bug: "a late cost whose report was lost is not reported again",
    from: 65,
    options: tampered(({ parentTimer }) => (parentTimer?.timer.kind === "child-cost" ? { parentTimer: null } : {})),
  },
];

function withoutBound({ max_spend_usd: _bound, ...body }: JsonObject): JsonObject {
  return body;
}

/** Parents record something else than their children have reported. */
function costsOfChildren(change: (costMicros: number, isLate: boolean) => number): PlayOptions {
  return tampered(({ events }) => ({
    events: events.map((event) => {
      if (event.type !== "cost.recorded" || event.payload.childRunId === undefined) return event;
      const { payload } = event;
      return { ...event, payload: { ...payload, costMicros: change(payload.costMicros, payload.late === true) } };
    }),
  }));
}
