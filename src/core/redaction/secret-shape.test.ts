import { describe, expect, it } from "vitest";
import { findCredential, hideCredentials } from "./index.ts";

const SAMPLES: readonly (readonly [name: string, secret: string])[] = [
  ["a GitHub token", "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"],
  ["an AWS access key", "AKIAIOSFODNN7EXAMPLE"],
  ["a model provider's API key", "sk-ant-api03-0123456789abcdefABCDEF"],
  ["a model provider's API key", "sk-live-abcdef0123456789"],
  ["a Stripe key", "sk_live_0123456789abcdefgh"],
  ["a Sluice key", "slk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"],
  ["a Slack token", "xoxb-0123456789-abcdefghij"],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----"],
  ["a bearer token", "Bearer abcdefghij0123456789"],
  ["a password in an address", "postgres://sluice:hunter2x@"],
  ["a password", "api_key: q8Zx2mWv7t"],
];

describe("texts that look like credentials", () => {
  it.each(SAMPLES)("%s is found and hidden", (name, secret) => {
    const text = `before ${secret} after`;
    expect(findCredential(text)).toEqual({ name, position: 7 });
    const shown = hideCredentials(text);
    expect(shown).toBe(`before [hidden: ${name}] after`);
    expect(findCredential(shown)).toBeNull();
    expect(hideCredentials(shown)).toBe(shown);
  });

  it.each([
    "Bearer ${token} and postgres://user:password@host",
    "https://user:<password>@example.com",
    "sk-learn-and-other-small-words-of-css",
    "password: changeme and api_key: string",
    "The secret of ghp_ tokens; AKIA is a prefix; Bearer tokens are long.",
    "a card 4111 1111 1111 1111 is no credential",
  ])("%s is none", (text) => {
    expect(findCredential(text)).toBeNull();
    expect(hideCredentials(text)).toBe(text);
  });

  it("are found in linear time in a text made of beginnings", () => {
    const text = "sk-Bearer -----BEGIN PRIVATE KEY-----a://b:".repeat(20_000);
    expect(hideCredentials(text).length).toBeLessThan(text.length);
  });
});
