import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { HookSource, Verification } from "../../../registry/index.ts";
import { SCHEMES } from "./schemes.ts";
import { readStripeSignature } from "./stripe-signature.ts";

const NOW = 1_531_420_618_000;
const SECRET = "a-secret-of-both-sides";
const BODY = '{"id":"evt_1","amount":3}';
const LATE_MS = 300_000;

interface Sent {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly secret?: string;
  readonly now?: number;
  readonly source?: Partial<HookSource>;
}

function verdict(
  verify: Verification,
  { headers, body = BODY, secret = SECRET, now = NOW, source = {} }: Sent,
): string {
  const given = new Headers();
  for (const [name, value] of headers) given.append(name, value);
  return SCHEMES[verify].verify({
    secrets: [secret],
    message: { header: (name) => given.get(name), body: Buffer.from(body) },
    source: { kind: "hook", verify, idFrom: null, header: "x-signature", encoding: "hex", ...source },
    now,
  });
}

const hex = (text: string, secret = SECRET): string => createHmac("sha256", secret).update(text).digest("hex");
const base64 = (text: string, secret = SECRET): string => createHmac("sha256", secret).update(text).digest("base64");
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

type Signed = readonly (readonly [string, string])[];

/** How each service signs a body at a moment with a secret. */
const SIGNED: Readonly<Partial<Record<Verification, (body: string, at: number, secret: string) => Signed>>> = {
  standard: (body, at, secret) => [
    ["webhook-id", "msg_1"],
    ["webhook-timestamp", String(at / 1_000)],
    ["webhook-signature", new Webhook(Buffer.from(secret).toString("base64")).sign("msg_1", new Date(at), body)],
  ],
  github: (body, _at, secret) => [["x-hub-signature-256", `sha256=${hex(body, secret)}`]],
  stripe: (body, at, secret) => [["stripe-signature", `t=${at / 1_000},v1=${hex(`${at / 1_000}.${body}`, secret)}`]],
  slack: (body, at, secret) => [
    ["x-slack-request-timestamp", String(at / 1_000)],
    ["x-slack-signature", `v0=${hex(`v0:${at / 1_000}:${body}`, secret)}`],
  ],
  hmac: (body, _at, secret) => [["x-signature", hex(body, secret)]],
  basic: (_body, _at, secret) => [["authorization", basic(secret)]],
  bearer: (_body, _at, secret) => [["authorization", `Bearer ${secret}`]],
};
const KINDS = Object.entries(SIGNED) as [Verification, (body: string, at: number, secret: string) => Signed][];

describe("what the services publish as examples", () => {
  it("of GitHub is believed", () => {
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const sent = { headers: [["X-Hub-Signature-256", signature]], secret: "It's a Secret to Everybody" } as const;
    expect(verdict("github", { ...sent, body: "Hello, World!" })).toBe("good");
    expect(verdict("github", { ...sent, body: "Hello, World?" })).toBe("bad_signature");
  });

  it("of Slack is believed in its time", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = [
      ["X-Slack-Request-Timestamp", "1531420618"],
      ["X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"],
    ] as const;
    const sent = { headers, body, secret: "8f742231b10e8888abcd99yyyzzz85a5" };
    expect(verdict("slack", sent)).toBe("good");
    expect(verdict("slack", { ...sent, now: NOW + LATE_MS + 1 })).toBe("bad_timestamp");
  });

  it("of Stripe is read as it describes it", () => {
    const v1 = "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd";
    const v0 = "6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39";
    const read = readStripeSignature(`t=1492774577,v1=${v1},v0=${v0}`);
    expect(read?.timestamp).toBe("1492774577");
    expect(read?.signatures.map((one) => Buffer.from(one).toString("hex"))).toEqual([v1]);
    // Two secrets are valid while one replaces the other.
    expect(readStripeSignature(`t=1492774577,v1=${v1},v1=${v0}`)?.signatures).toHaveLength(2);
  });

  it("of Standard Webhooks is believed", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const headers = [
      ["webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"],
      ["webhook-timestamp", "1614265330"],
      ["webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="],
    ] as const;
    const sent = { headers, secret, body: '{"test": 2432232314}', now: 1_614_265_330_000 };
    expect(verdict("standard", sent)).toBe("good");
  });
});

describe.each(KINDS)("%s", (verify, signed) => {
  const secret = verify === "basic" ? `user:${SECRET}` : SECRET;
  const judged = (headers: Signed, more: Partial<Sent> = {}): string => verdict(verify, { headers, secret, ...more });
  const good = signed(BODY, NOW, secret);

  it("believes what was signed with its secret", () => {
    expect(judged(good)).toBe("good");
  });

  it("does not believe another secret", () => {
    expect(judged(signed(BODY, NOW, `${secret}!`))).toBe("bad_signature");
    expect(judged(good, { secret: `${secret}!` })).toBe("bad_signature");
  });

  it("does not believe a message without its headers, with empty or with foreign ones", () => {
    for (const [index, [name]] of good.entries()) {
      const without = good.filter((_, at) => at !== index);
      expect(judged(without)).toBe("bad_signature");
      for (const value of ["", "x", "v1", "v1,", "t=,v1=", "sha256=", "v0=", "=", ",", "Basic", "Bearer", "Basic !"]) {
        expect(judged([...without, [name, value]])).toBe("bad_signature");
      }
    }
  });

  it("does not believe a header that was sent twice", () => {
    for (const [name, value] of good) {
      expect(judged([...good, [name, value]])).toBe("bad_signature");
      expect(judged([[name, "x"], ...good])).toBe("bad_signature");
    }
  });

  if (verify !== "basic" && verify !== "bearer") {
    it("does not believe another body", () => {
      for (const body of [`${BODY} `, BODY.replace("3", "4"), "", "\0"]) {
        expect(judged(good, { body })).toBe("bad_signature");
      }
    });
  }

  if (verify === "standard" || verify === "stripe" || verify === "slack") {
    it("believes it for five minutes, and says only to its signer that it is late", () => {
      expect(judged(good, { now: NOW + LATE_MS })).toBe("good");
      expect(judged(good, { now: NOW - LATE_MS })).toBe("good");
      expect(judged(good, { now: NOW + LATE_MS + 1 })).toBe("bad_timestamp");
      expect(judged(good, { now: NOW - LATE_MS - 1 })).toBe("bad_timestamp");
      expect(judged(good, { now: NOW + LATE_MS + 1, body: "other" })).toBe("bad_signature");
    });
  }
});

describe("hmac", () => {
  it("is found in the header and the writing that are configured", () => {
    const headers = [["x-acme", base64(BODY)]] as const;
    expect(verdict("hmac", { headers, source: { header: "x-acme", encoding: "base64" } })).toBe("good");
    expect(verdict("hmac", { headers, source: { header: "x-acme" } })).toBe("bad_signature");
    expect(verdict("hmac", { headers: [["x-signature", `sha256=${hex(BODY)}`]] })).toBe("good");
    expect(verdict("hmac", { headers: [["x-signature", hex(BODY).toUpperCase()]] })).toBe("good");
  });
});

describe("none", () => {
  it("has only its address", () => {
    expect(verdict("none", { headers: [] })).toBe("good");
  });
});
