import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifySlack } from "./slack-signature.ts";

/** The example that Slack publishes with its rules for signatures. */
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const TIMESTAMP = "1531420618";
const BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
  "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
  "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
const NOW = 1_531_420_618_000;

const verify = (
  parts: Partial<{ secret: string; timestamp: string; signature: string; body: string; now: number }>,
) => {
  const { secret = SECRET, timestamp = TIMESTAMP, signature = SIGNATURE, body = BODY, now = NOW } = parts;
  return verifySlack([secret], { timestamp, signature }, Buffer.from(body), now);
};

describe("the signature of Slack", () => {
  it("is verified as Slack's own example is", () => {
    expect(verify({})).toBe("good");
  });

  it.each([
    ["another secret", { secret: "8f742231b10e8888abcd99yyyzzz85a6" }],
    ["another body", { body: `${BODY}&x=1` }],
    ["another moment", { timestamp: "1531420619" }],
    ["none", { signature: "" }],
    ["another version", { signature: SIGNATURE.replace("v0", "v1") }],
    ["a longer one", { signature: `${SIGNATURE}0` }],
  ])("does not fit %s", (_about, parts) => {
    expect(verify(parts)).toBe("bad_signature");
  });

  it.each([
    [300_000, "good"],
    [300_001, "bad_timestamp"],
    [-300_000, "good"],
    [-300_001, "bad_timestamp"],
  ])("is believed for five minutes: %i ms", (later, verdict) => {
    expect(verify({ now: NOW + later })).toBe(verdict);
  });

  it("with a moment that is none is not believed, also when it is signed", () => {
    const signature = `v0=${createHmac("sha256", SECRET).update(`v0:soon:${BODY}`).digest("hex")}`;
    expect(verify({ timestamp: "soon", signature })).toBe("bad_timestamp");
  });
});
