import { expect, it } from "vitest";
import type { SessionRecord } from "../store/index.ts";
import type { KeyCache } from "./auth.ts";
import type { PersonCache } from "./person-cache.ts";
import { SessionCache } from "./session-cache.ts";

it("a request with a session is recorded as its use, also right after a stream checked the session", async () => {
  const lookups: boolean[] = [];
  const store = {
    findSession: (_: string, { isUse }: { readonly isUse: boolean }) => {
      lookups.push(isUse);
      return Promise.resolve({ id: "s1" } as Partial<SessionRecord> as SessionRecord);
    },
    listMemberships: () => Promise.resolve([]),
  };
  const cache = new SessionCache(
    store,
    {} as Partial<KeyCache> as KeyCache,
    {} as Partial<PersonCache> as PersonCache,
    () => 0,
  );
  for (const isUse of [false, true, false, true]) await cache.find("secret", isUse);
  expect(lookups).toEqual([false, true]);
});
