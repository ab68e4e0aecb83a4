import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { hookPlace } from "../../seal/index.ts";
import type { HookRecord } from "../../store/index.ts";
import { newHookSecret } from "../webhook/index.ts";
import { candidateOfHook, findSigner as findAmong, HOOK_OVERLAP_MS } from "./hook.ts";
import { argsOfMessage } from "./message-args.ts";

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
  const hook = (orgId: string, secret: string, parts: Partial<HookRecord> = {}): HookRecord => ({
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
  const message = (secret: string, stamped = timestamp) => {
    const headers = new Headers({
      "webhook-id": "m",
      "webhook-timestamp": stamped,
      "webhook-signature": new Webhook(secret).sign("m", new Date(Number(stamped) * 1_000), "{}"),
    });
    return { header: (name: string) => headers.get(name), body: Buffer.from("{}") };
  };
  const findSigner = (hooks: readonly HookRecord[], sent: ReturnType<typeof message>, at: number) => {
    const found = findAmong(
      hooks.map((hook) => candidateOfHook(hook, box, at)),
      sent,
      at,
    );
    return "reason" in found ? found : { hook: hooks.find(({ orgId }) => orgId === found.candidate.orgId) };
  };

  it("is found among all who have a workflow of the name", () => {
    const hooks = [hook("org_1", first), hook("org_2", second)];
    expect(findSigner(hooks, message(second), now)).toEqual({ hook: hooks[1] });
    expect(findSigner(hooks, message(third), now)).toEqual({ reason: "bad_signature" });
    expect(findSigner(hooks, message(second, "1600000000"), now)).toEqual({ reason: "bad_timestamp" });
    expect(findSigner([], message(second), now)).toEqual({ reason: "bad_signature" });
  });

  it("may use the secret before the present one while it overlaps", () => {
    const previous = { previousSecret: box.seal(first, hookPlace("org_1", "w")), previousUntil: now + 1 };
    const rotated = hook("org_1", second, previous);
    for (const secret of [first, second]) {
      expect(findSigner([rotated], message(secret), now)).toEqual({ hook: rotated });
    }
    expect(findSigner([rotated], message(first), now + 1)).toEqual({ reason: "bad_signature" });
    expect(findSigner([rotated], message(second), now + 1)).toEqual({ hook: rotated });
    expect(HOOK_OVERLAP_MS).toBe(86_400_000);
  });

  it("is none whose secret cannot be opened", () => {
    const stolen = { ...hook("org_1", first), orgId: "org_2" };
    expect(findSigner([stolen], message(first), now)).toEqual({ reason: "bad_signature" });
  });
});
