import { expect, it } from "vitest";
import type { SessionRecord } from "../store/index.ts";
import type { KeyRing } from "./auth.ts";
import type { PersonRing } from "./person-ring.ts";
import { SessionRing } from "./session-ring.ts";

it("a request with a session is recorded as its use, also right after a stream checked the session", async () => {
  const lookups: boolean[] = [];
  const store = {
    findSession: (_: string, { isUse }: { readonly isUse: boolean }) => {
      lookups.push(isUse);
      return Promise.resolve({ id: "s1" } as Partial<SessionRecord> as SessionRecord);
    },
    listMemberships: () => Promise.resolve([]),
  };
  const ring = new SessionRing(
    store,
    {} as Partial<KeyRing> as KeyRing,
    {} as Partial<PersonRing> as PersonRing,
    () => 0,
  );
  for (const isUse of [false, true, false, true]) await ring.find("secret", isUse);
  expect(lookups).toEqual([false, true]);
});
