import { expect, it } from "vitest";
import type { SessionRecord, Store } from "../store/index.ts";
import { sharedPeople } from "./people.ts";

it("a request with a session is recorded as its use, also right after the router looked the session up", async () => {
  const lookups: boolean[] = [];
  const session = { id: "s1" } as Partial<SessionRecord> as SessionRecord;
  const findSession: Store["findSession"] = (_, { isUse }) => {
    lookups.push(isUse);
    return Promise.resolve(session);
  };
  const people = sharedPeople({ findSession } as Partial<Store> as Store, () => 0);
  for (const isUse of [false, true, false, true]) await people.findSession("hash", { idleMs: 1_000, isUse });
  expect(lookups).toEqual([false, true]);
});
