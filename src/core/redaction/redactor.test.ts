import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { createRedactor, SECRET_LENGTH_MIN } from "./index.ts";
import { LEARNED_MAX } from "./redactor.ts";

const KEY = 's3cr/t+k=y "quoted"\\ ü🔑\n';
const redactor = createRedactor([{ name: "KEY", value: KEY }]);
const bytes = Buffer.from(KEY);

function percent(hex: (byte: number) => string): string {
  return [...bytes].map((byte) => `%${hex(byte)}`).join("");
}

describe("shapes", () => {
  it.each([
    ["raw", KEY],
    ["base64", bytes.toString("base64").replaceAll("=", "")],
    ["base64url", bytes.toString("base64url")],
    ["hex", bytes.toString("hex")],
    ["upper hex", bytes.toString("hex").toUpperCase()],
    ["percent, as in a query", encodeURIComponent(KEY)],
    ["percent, lower hex", encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase())],
    ["percent, as in a path", encodeURI(KEY)],
    ["percent, as in a form", new URLSearchParams([["", KEY]]).toString().slice(1)],
    ["percent, every byte", percent((byte) => byte.toString(16).padStart(2, "0"))],
    ["percent, every byte, upper", percent((byte) => byte.toString(16).padStart(2, "0").toUpperCase())],
    ["JSON", JSON.stringify(KEY).slice(1, -1)],
    ["JSON in JSON", JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ["JSON, slashes escaped", JSON.stringify(KEY).slice(1, -1).replaceAll("/", "\\/")],
    ["JSON, ASCII", String.raw`s3cr/t+k=y \"quoted\"\\ \u00fc\ud83d\udd11\n`],
    ["JSON, ASCII, upper", String.raw`s3cr/t+k=y \"quoted\"\\ \u00FC\uD83D\uDD11\n`],
  ])("is found: %s", (_, shape) => {
    expect(redactor.text(`before|${shape}|after`)).toBe("before|[redacted:KEY]|after");
  });

  it("is found in base64 at every place of a longer text, with the bits at its edges", () => {
    for (const before of ["", "a", "ab", "abc"]) {
      for (const after of ["", "x", "xy", "xyz"]) {
        const encoded = Buffer.from(before + KEY + after).toString("base64");
        const out = redactor.text(`|${encoded}|`);
        expect(out).toMatch(/^\|[A-Za-z0-9]{0,4}\[redacted:KEY\][A-Za-z0-9]{0,4}={0,2}\|$/);
        // Only characters without a bit of the secret are left.
        const left = out.slice(1, out.indexOf("["));
        expect(left.length).toBe(Math.floor((Buffer.from(before).length * 8) / 6));
      }
    }
  });

  it("is found by any of its names when several hold it, the first one named", () => {
    const twins = createRedactor([
      { name: "A", value: "same-value" },
      { name: "B", value: "same-value" },
    ]);
    expect(twins.text("same-value")).toBe("[redacted:A]");
  });
});

describe("length", () => {
  it("ignores what is too short to differ from ordinary text, and reports it", () => {
    const values = [SECRET_LENGTH_MIN - 1, SECRET_LENGTH_MIN, SECRET_LENGTH_MIN + 1].map((length) =>
      "k".repeat(length),
    );
    const mixed = createRedactor(values.map((value) => ({ name: `K${String(value.length)}`, value })));
    expect(mixed.ignored).toEqual(["K5"]);
    expect(mixed.text("kkkkk")).toBe("kkkkk");
    expect(mixed.text("kkkkkk")).toBe("[redacted:K6]");
    expect(mixed.text("kkkkkkk")).toBe("[redacted:K7]");
  });

  it("leaves everything alone without secrets", () => {
    const none = createRedactor([{ name: "EMPTY", value: "" }]);
    const value: Json = { a: ["b"] };
    expect(none.text("text")).toBe("text");
    expect(none.json(value)).toBe(value);
    const stream = none.stream();
    expect(stream.push("text") + stream.flush()).toBe("text");
  });
});

describe("overlaps", () => {
  const pair = createRedactor([
    { name: "LEFT", value: "abcdefgh" },
    { name: "RIGHT", value: "efghijkl" },
    { name: "LONG", value: "abcdefghij" },
  ]);
  it.each([
    ["abcdefgh", "[redacted:LEFT]"],
    ["abcdefghi", "[redacted:LEFT]i"],
    ["abcdefghij", "[redacted:LONG]"],
    ["abcdefghijkl", "[redacted:LONG]"],
    ["efghijklabcdefgh", "[redacted:RIGHT][redacted:LEFT]"],
    ["abcdefg", "abcdefg"],
    ["abcdefabcdefgh", "abcdef[redacted:LEFT]"],
  ])("%s → %s", (text, expected) => {
    expect(pair.text(text)).toBe(expected);
  });

  it("makes one mark of a run of overlapping finds", () => {
    const ones = createRedactor([{ name: "ONES", value: "111111" }]);
    expect(ones.text(`0${"1".repeat(1000)}0`)).toBe("0[redacted:ONES]0");
  });
});

describe("marks", () => {
  it.each([
    ["redacted"],
    ["[redacted"],
    ["c[redac"],
    ["KEY]tail"],
    ["dacted:KEY"],
    ["[redacted:KEY]"],
    ["x[redacted:KEY]y"],
  ])("never bring the secret %s back", (value) => {
    const odd = createRedactor([
      { name: "KEY", value },
      { name: "OTHER", value: "other-secret" },
    ]);
    const text = `c${value} cother-secrettail cother-secrettail`;
    const out = odd.text(text);
    expect(out).not.toContain(value);
    expect(odd.text(out)).toBe(out);
  });

  it("steps aside when the secret is made of the block itself", () => {
    const odd = createRedactor([
      { name: "A", value: "redacted" },
      { name: "B", value: "██████" },
    ]);
    const out = odd.text("██████ redacted");
    expect(out).not.toContain("█");
    expect(out).not.toContain("redacted");
  });
});

describe("json", () => {
  it("reaches keys, values and numbers, and keeps hostile keys as data", () => {
    const redact = createRedactor([{ name: "PIN", value: "4711471147" }]);
    const value = JSON.parse(
      '{"k 4711471147":[1,true,null,"x4711471147y",4711471147,12.5],"__proto__":{"a":"4711471147"},"constructor":1}',
    ) as Json;
    const out = redact.json(value);
    expect(JSON.stringify(out)).toBe(
      '{"k [redacted:PIN]":[1,true,null,"x[redacted:PIN]y","[redacted:PIN]",12.5],"__proto__":{"a":"[redacted:PIN]"},"constructor":1}',
    );
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
  });

  it("keeps keys apart that become the same", () => {
    const redact = createRedactor([{ name: "K", value: "secret-key" }]);
    const hex = Buffer.from("secret-key").toString("hex");
    expect(redact.json({ "secret-key": 1, [hex]: 2 })).toEqual({ "[redacted:K]": 1, "[redacted:K] (2)": 2 });
  });

  it("walks a value deeper than the stack", () => {
    let deep: Json = "secret-key";
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    let out = createRedactor([{ name: "K", value: "secret-key" }]).json(deep);
    while (Array.isArray(out)) out = out[0] as Json;
    expect(out).toBe("[redacted:K]");
  });
});

describe("stream", () => {
  it("holds back no more than what may become a secret", () => {
    const stream = createRedactor([{ name: "K", value: "!secret!" }]).stream();
    expect(stream.push("hello ")).toBe("hello ");
    expect(stream.push("!sec")).toBe("");
    expect(stream.push("ond ")).toBe("!second ");
    expect(stream.push("!secret")).toBe("");
    expect(stream.push("!.")).toBe("[redacted:K].");
    expect(stream.flush()).toBe("");
    expect(stream.push("!secret!")).toBe("");
    expect(stream.flush()).toBe("[redacted:K]");
  });

  it("does not join what was flushed to what follows", () => {
    const stream = createRedactor([{ name: "K", value: "!secret!" }]).stream();
    expect(stream.push("!secr") + stream.flush() + stream.push("et!") + stream.flush()).toBe("!secret!");
  });

  it("does not keep what it will never let out", () => {
    const stream = createRedactor([{ name: "K", value: "111111" }]).stream();
    let out = "";
    for (let count = 0; count < 500; count += 1) out += stream.push("1".repeat(100));
    expect(out).toBe("");
    expect(stream.push("0.")).toBe("[redacted:K]0.");
  });

  it("takes a hundred secrets and a mebibyte of look-alikes", () => {
    const secrets = Array.from({ length: 100 }, (_, index) => ({
      name: `K${String(index)}`,
      value: `${"a".repeat(60)}${String(index).padStart(3, "0")}`,
    }));
    const many = createRedactor(secrets);
    const text = "a".repeat(1_048_576);
    expect(many.text(text)).toBe(text);
    expect(many.text(`${text}042`)).toBe(`${"a".repeat(1_048_576 - 60)}[redacted:K42]`);
  });
});

describe("a redactor that learns", () => {
  it("knows what it was given later, and what it knew before", () => {
    const first = createRedactor([{ name: "A", value: "alpha-value" }]);
    const second = first.with([{ name: "B", value: "beta-value" }]);
    expect(second.text("alpha-value beta-value")).toBe("[redacted:A] [redacted:B]");
    expect(first.text("beta-value")).toBe("beta-value");
    expect(second.with([{ name: "B", value: "beta-value" }])).toBe(second);
    const rotated = second.with([{ name: "B", value: "gamma-value" }]);
    expect(rotated.text("beta-value gamma-value")).toBe("[redacted:B] [redacted:B]");
  });

  it("forgets the oldest of what it learned beyond its limit, and nothing of what it began with", () => {
    const value = (index: number): string => `value-number-${String(index).padStart(4, "0")}`;
    let redactor = createRedactor([{ name: "BASE", value: "base-value" }]);
    redactor = redactor.with(Array.from({ length: LEARNED_MAX }, (_, index) => ({ name: "S", value: value(index) })));
    expect(redactor.text(value(0))).toBe("[redacted:S]");
    redactor = redactor.with([{ name: "S", value: value(LEARNED_MAX) }]);
    expect(redactor.text(`${value(0)} ${value(1)} base-value`)).toBe(`${value(0)} [redacted:S] [redacted:BASE]`);
  });
});
