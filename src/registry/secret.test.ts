import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/index.ts";
import { planChange } from "./change.ts";
import { readManifestList } from "./manifest.ts";
import { readSpec } from "./read-spec.ts";
import { secretReferenceProblems, secretsAround } from "./secret-check.ts";
import { type DispatchUse, isInScope, type SecretUse, useText } from "./secret-scope.ts";

const DISPATCH: DispatchUse = { by: "dispatch", gateway: "eu", agent: "analyst", tool: "billing", workflow: "refund" };

describe("scopes", () => {
  it.each<[readonly string[], boolean]>([
    [["gateway:eu"], true],
    [["gateway:us"], false],
    [["gateway:us", "gateway:eu"], true],
    [["gateway:eu", "agent:analyst"], true],
    [["gateway:eu", "agent:other"], false],
    [["agent:*"], true],
    [["agent"], true],
    [["gateway", "workflow:other"], false],
    [["workflow:re*d"], true],
    [["workflow:re*x"], false],
    [["tool:billing"], true],
    [["tool:billing/*"], true],
    [["tool:billing/pay"], false],
    [["tool:bill"], false],
    [["gateway:eu", "tool:other"], false],
    // What the server itself uses does not open it for dispatches.
    [["channel:*", "trigger:*", "webhook:*", "secret:*"], false],
    [["gateway:eu", "channel:ops"], true],
  ])("%j: a dispatch gets it: %s", (scopes, expected) => {
    expect(isInScope(scopes, DISPATCH)).toBe(expected);
  });

  it("never fit a tool that is not known", () => {
    expect(isInScope(["gateway:eu", "tool:*"], { ...DISPATCH, tool: null })).toBe(false);
    expect(isInScope(["gateway:eu", "tool"], { ...DISPATCH, tool: null })).toBe(false);
    expect(isInScope(["gateway:eu"], { ...DISPATCH, tool: null })).toBe(true);
  });

  it.each<[readonly string[], SecretUse, boolean]>([
    [["channel:ops"], { by: "channel", name: "ops" }, true],
    [["channel:ops"], { by: "webhook", name: "ops" }, false],
    [["gateway:*", "workflow:*"], { by: "trigger", name: "orders" }, false],
    [["gateway:eu", "trigger:ord*"], { by: "trigger", name: "orders" }, true],
    [["secret:billing"], { by: "secret", name: "billing" }, true],
  ])("%j for %j: %s", (scopes, use, expected) => {
    expect(isInScope(scopes, use)).toBe(expected);
  });

  it("with stars are like the pattern they look like", () => {
    const word = fc.stringMatching(/^[ab*]{1,8}$/);
    fc.assert(
      fc.property(word, fc.stringMatching(/^[ab]{0,8}$/), (pattern, name) => {
        const like = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
        expect(isInScope([`agent:${pattern}`], { ...DISPATCH, agent: name })).toBe(like);
      }),
    );
  });

  it("are named in words", () => {
    expect(useText(DISPATCH)).toBe("gateway:eu agent:analyst workflow:refund tool:billing");
    expect(useText({ by: "channel", name: "ops" })).toBe("channel:ops");
  });
});

describe("the spec of a secret", () => {
  const problems = (spec: object, name = "billing-token") => {
    const read = readSpec("Secret", name, JSON.parse(JSON.stringify(spec)));
    return read.ok ? [] : read.problems.map(({ code, path }) => `${code} ${path}`);
  };
  const scopes = ["gateway:eu"];

  it("keeps its value apart", () => {
    expect(readSpec("Secret", "s", { value: "sk-0123456789abcdefABCDEF", scopes })).toEqual({
      ok: true,
      body: { scopes },
      secrets: { value: "sk-0123456789abcdefABCDEF" },
    });
  });

  it.each<[object, readonly string[]]>([
    [{ value: "x".repeat(5), scopes }, ["wrong_type value"]],
    [{ value: "x".repeat(6), scopes }, []],
    [{ value: "x".repeat(4_096), scopes }, []],
    [{ value: "x".repeat(4_097), scopes }, ["wrong_type value"]],
    [{ value: "with\0nul", scopes }, ["wrong_type value"]],
    [{ value: "some value", scopes: [] }, ["missing_field scopes"]],
    [{ value: "some value" }, ["missing_field scopes"]],
    [{ scopes: ["eu"] }, ["bad_name scopes[0]"]],
    [{ scopes: ["team:eu"] }, ["bad_name scopes[0]"]],
    [{ scopes, from: {} }, ["missing_field from"]],
    [{ scopes, from: { env: "A", file: "b" } }, ["conflicting_fields from"]],
    [{ scopes, value: "some value", from: { env: "A" } }, ["conflicting_fields from"]],
    [{ scopes, from: { file: "../up" } }, ["bad_name from.file"]],
    [{ scopes, from: { file: "/etc/passwd" } }, ["bad_name from.file"]],
    [{ scopes, from: { file: "a/b.txt" } }, []],
    [
      { scopes, from: { vault: { url: "http://v:8200", path: "a/../b", token: "secret://t" } } },
      ["bad_name from.vault.path"],
    ],
    [
      { scopes, from: { vault: { url: "http://v:8200", path: "a", token: "hvs.plain" } } },
      ["bad_name from.vault.token"],
    ],
  ])("%j", (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });

  it("is never repeated in a problem, nor are the secrets of others", () => {
    const said = (kind: "Secret" | "Webhook" | "Gateway", spec: object): string =>
      JSON.stringify(readSpec(kind, "ops", JSON.parse(JSON.stringify(spec))));
    const webhook = { url: "https://example.org", events: ["*"] };
    for (const text of [
      said("Secret", { scopes, value: "pin42" }),
      said("Secret", { scopes, value: `pin42${"x".repeat(5_000)}` }),
      said("Secret", { scopes, from: { vault: { url: "http://v:8200", path: "a", token: "hvs.pin42" } } }),
      said("Webhook", { ...webhook, secret: "pin42 with a\nline" }),
      said("Webhook", { ...webhook, secret: "pin42" }),
      said("Gateway", { callback_token: "pin42 with a\nline" }),
    ]) {
      expect(text).toContain('"ok":false');
      expect(text).not.toContain("pin42");
    }
  });

  it("has a name that can stand in a reference", () => {
    for (const name of ["a", "_A", "billing-token", "B_2"]) expect(problems({ scopes }, name)).toEqual([]);
    for (const name of ["2a", "a.b", "a b", "-a", "x".repeat(65)]) {
      expect(problems({ scopes }, name)).toEqual(["bad_name name"]);
    }
  });

  it("counts its values, and shows nothing of them", () => {
    const change = (body: object, before: object | undefined, fresh: readonly string[]) =>
      planChange(
        { kind: "Secret", name: "s", body: { ...body } },
        before === undefined ? undefined : { ...before },
        fresh,
        1,
      );
    expect(change({ scopes }, undefined, ["value"])).toMatchObject({ action: "created", body: { scopes, version: 1 } });
    const kept = { scopes, version: 3 };
    expect(change({ scopes }, kept, [])).toMatchObject({ action: "unchanged", body: kept });
    expect(change({ scopes: ["gateway:us"] }, kept, [])).toMatchObject({ body: { version: 3 } });
    const rotated = change({ scopes }, kept, ["value"]);
    expect(rotated).toMatchObject({ action: "updated", body: { version: 4 } });
    expect(rotated.ok && rotated.diff).toContain("+value: (a new value, which is not shown)");
    expect(change({ scopes, from: { env: "A" } }, kept, [])).toMatchObject({ body: { version: 4 } });
  });
});

describe("a reference", () => {
  const [, ...beside] = readManifestList([
    { kind: "Agent", name: "a", spec: {} },
    { kind: "Secret", name: "signing", spec: { value: "some value", scopes: ["webhook:ops"] } },
  ]);
  const check = async (kind: "Webhook" | "Trigger" | "Channel", name: string, secrets: Record<string, string>) =>
    (
      await secretReferenceProblems({ kind, name, body: {} }, secrets, secretsAround(createMemoryStore(), "o", beside))
    ).map(({ code, path, hint }) => `${code} ${path} ${hint ?? ""}`);

  it("is followed to secrets of the same stream, and to their scopes", async () => {
    expect(await check("Webhook", "ops", { secret: "secret://signing" })).toEqual([]);
    expect(await check("Webhook", "ops", { secret: "whsec_a value" })).toEqual([]);
    expect(await check("Webhook", "other", { secret: "secret://signing" })).toEqual([
      "secret_out_of_scope secret Add webhook:other to its scopes.",
    ]);
    expect(await check("Trigger", "orders", { secret: "secret://sining" })).toEqual([
      'unknown_secret on.hook.secret Did you mean "signing"?',
    ]);
    expect(await check("Channel", "ops", { token: "secret://nothing-like-it" })).toEqual([
      "unknown_secret token Set it first with: sluice secrets set.",
    ]);
  });

  it("must be well written, and is nothing for a gateway", () => {
    const codes = (kind: "Webhook" | "Gateway", spec: object) => {
      const read = readSpec(kind, "ops", JSON.parse(JSON.stringify(spec)));
      return read.ok ? [] : read.problems.map(({ code, path }) => `${code} ${path}`);
    };
    const webhook = { url: "https://example.org", events: ["*"] };
    expect(codes("Webhook", { ...webhook, secret: "secret://ok" })).toEqual([]);
    expect(codes("Webhook", { ...webhook, secret: "secret://not a name" })).toEqual(["bad_name secret"]);
    expect(codes("Gateway", { dispatch_token: "secret://token" })).toEqual(["wrong_type dispatch_token"]);
  });
});
