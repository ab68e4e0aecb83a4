import { describe, expect, it } from "vitest";
import type { Hook } from "../../store/index.ts";
import { argsOfMessage, findSigner, HOOK_OVERLAP_MS, hookPlace } from "./hook.ts";
import { keysOf, newHookSecret, sign } from "./signature.ts";

describe("the args a message means", () => {
  const declared = { who: { type: "string" }, times: { type: "integer" } };
  it("are the body, what stands under args, or a payload", () => {
    expect(argsOfMessage({ who: "a" }, declared)).toEqual({ who: "a" });
    expect(argsOfMessage({}, declared)).toEqual({});
    expect(argsOfMessage({ args: { who: "a" } }, declared)).toEqual({ who: "a" });
    expect(argsOfMessage({ args: { who: "a" } }, { args: { type: "object" } })).toEqual({ args: { who: "a" } });
    expect(argsOfMessage({ args: { who: "a" }, id: 1 }, declared)).toEqual({ args: { who: "a" }, id: 1 });
    expect(argsOfMessage({ args: "a" }, declared)).toEqual({ args: "a" });
    for (const payload of [{ type: "object" }, {}]) {
      expect(argsOfMessage({ who: "a", x: 1 }, { ...declared, payload })).toEqual({ payload: { who: "a", x: 1 } });
    }
    expect(argsOfMessage({ x: 1 }, { payload: { type: "string" } })).toEqual({ x: 1 });
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>;
    expect(argsOfMessage(odd, declared)).toBe(odd);
  });
});

describe("the signer", () => {
  const box = {
    seal: (text: string, place: string) => `${place}|${text}`,
    open: (sealed: string, place: string) =>
      sealed.startsWith(`${place}|`) ? sealed.slice(place.length + 1) : undefined,
  };
  const now = 1_700_000_000_000;
  const timestamp = "1700000000";
  const [first, second, third] = [newHookSecret(), newHookSecret(), newHookSecret()];
  const hook = (orgId: string, secret: string, parts: Partial<Hook> = {}): Hook => ({
    orgId,
    workflow: "w",
    secret: box.seal(secret, hookPlace(orgId, "w")),
    previousSecret: null,
    previousUntil: null,
    savedBy: null,
    createdAt: 1,
    updatedAt: 1,
    ...parts,
  });
  const message = (secret: string, stamped = timestamp) => ({
    id: "m",
    timestamp: stamped,
    signatures: sign(keysOf(secret), { id: "m", timestamp: stamped }, "{}"),
    body: Buffer.from("{}"),
  });

  it("is found among all who have a workflow of the name", () => {
    const hooks = [hook("org_1", first), hook("org_2", second)];
    expect(findSigner(hooks, message(second), box, now)).toEqual({ hook: hooks[1] });
    expect(findSigner(hooks, message(third), box, now)).toEqual({ reason: "bad_signature" });
    expect(findSigner(hooks, message(second, "1600000000"), box, now)).toEqual({ reason: "bad_timestamp" });
    expect(findSigner([], message(second), box, now)).toEqual({ reason: "bad_signature" });
  });

  it("may use the secret before the present one while it overlaps", () => {
    const previous = { previousSecret: box.seal(first, hookPlace("org_1", "w")), previousUntil: now + 1 };
    const rotated = hook("org_1", second, previous);
    for (const secret of [first, second]) {
      expect(findSigner([rotated], message(secret), box, now)).toEqual({ hook: rotated });
    }
    expect(findSigner([rotated], message(first), box, now + 1)).toEqual({ reason: "bad_signature" });
    expect(findSigner([rotated], message(second), box, now + 1)).toEqual({ hook: rotated });
    expect(HOOK_OVERLAP_MS).toBe(86_400_000);
  });

  it("is none whose secret cannot be opened", () => {
    const stolen = { ...hook("org_1", first), orgId: "org_2" };
    expect(findSigner([stolen], message(first), box, now)).toEqual({ reason: "bad_signature" });
  });
});
