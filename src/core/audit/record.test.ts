import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { canonicalJson, type Json, type JsonObject } from "../base/index.ts";
import { AUDIT_CATEGORIES, AUDIT_TYPES, auditEntry, type AuditEntry, CATEGORY_OF } from "./entry.ts";
import { readCanonical, readLine } from "./line.ts";
import { type AuditRecord, DETAIL_BYTES_MAX, DETAIL_DEPTH_MAX, GENESIS_HASH, linkRecord, rehash } from "./record.ts";

const LINK = { org: "org_ü", seq: 258, prevHash: "ab".repeat(32), at: "2026-01-02T03:04:05.006Z" };

const entry = (parts: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({ at: 0, type: "key.created", actor: "ann", resource: "key/key_1", detail: {}, ...parts });

const detailOf = (detail: JsonObject): Json => {
  const { line } = linkRecord(LINK, entry({ detail }));
  return (JSON.parse(line) as AuditRecord).detail;
};

describe("entries", () => {
  it("have the types and categories people were promised", () => {
    expect(AUDIT_TYPES.join(" ")).toBe(
      "workflow.saved run.started run.finished run.paused run.resumed workflow.paused workflow.resumed " +
        "organisation.paused organisation.resumed run.deleted run.imported run.erased node.dispatched node.completed node.failed node.skipped gate.rejected " +
        "gate.held tool.decided routing.decided approval.requested approval.escalated approval.answered approval.revised " +
        "approval.refused approval.resolved approval.assigned approval.commented budget.period_reset " +
        "budget.alert agent.changed trust.changed function.action_lowered gateway.changed channel.changed policy.changed " +
        "secret.changed secret.used secret.refused key.created key.revoked auth.failed " +
        "session.started session.ended person.joined person.changed person.removed invitation.created " +
        "invitation.revoked organisation.changed config.applied platform.changed server.started",
    );
    expect(new Set(Object.values(CATEGORY_OF))).toEqual(new Set(AUDIT_CATEGORIES));
    expect(auditEntry({ ...entry(), type: "gate.held" }).category).toBe("governance");
  });
});

describe("a record", () => {
  it("is hashed in a way that two common tools can repeat", () => {
    const { hash, line } = linkRecord(LINK, entry({ run: "run_1", node: "a", detail: { n: 1.5, t: "é\u2028" } }));
    const payload = line.replace(`"hash":"${hash}",`, "");
    const bytes = Buffer.concat([
      Buffer.of(0),
      Buffer.from(LINK.prevHash, "hex"),
      Buffer.from(LINK.org),
      Buffer.of(0, 0, 0, 0, 0, 0, 1, 2),
      Buffer.from(payload),
    ]);
    expect(hash).toBe(bytesToHex(sha256(bytes)));
    expect(payload).toBe(
      '{"actor":"ann","at":"2026-01-02T03:04:05.006Z","category":"security","detail":{"n":1.5,"t":"é\u2028"},' +
        `"node":"a","org":"org_ü","prevHash":"${LINK.prevHash}","resource":"key/key_1","run":"run_1","seq":258,` +
        '"type":"key.created"}',
    );
  });

  it("is one canonical line with a known shape, whatever it holds", () => {
    for (const parts of [
      {},
      { run: "r" },
      { node: "n" },
      { run: "r", node: "n", detail: { b: 1, a: [{ d: 1, c: 2 }] } },
    ]) {
      const { hash, line } = linkRecord(LINK, entry(parts));
      const read = readLine(line);
      expect(read).toMatchObject({ value: { ...parts, hash, seq: 258 } });
      expect(rehash(JSON.parse(line) as AuditRecord)).toBe(hash);
    }
  });

  it("depends on everything in it and before it", () => {
    const variants = [
      linkRecord(LINK, entry()),
      linkRecord({ ...LINK, seq: 259 }, entry()),
      linkRecord({ ...LINK, org: "org_u" }, entry()),
      linkRecord({ ...LINK, prevHash: GENESIS_HASH }, entry()),
      linkRecord({ ...LINK, at: "2026-01-02T03:04:05.007Z" }, entry()),
      linkRecord(LINK, entry({ actor: "bob" })),
      linkRecord(LINK, entry({ node: "" })),
    ];
    expect(new Set(variants.map(({ hash }) => hash)).size).toBe(variants.length);
  });

  it("holds no text or number that canonical JSON does not know", () => {
    const { line } = linkRecord(
      LINK,
      entry({ actor: "\ud800", detail: { "\udc00": ["x\ud800y", "\ud83d\ude00", NaN] } }),
    );
    expect(readCanonical(line)).toMatchObject({
      value: { actor: "\ufffd", detail: { "\ufffd": ["x\ufffdy", "\ud83d\ude00", null] } },
    });
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
    expect(Object.keys(detailOf(odd) as JsonObject)).toEqual(["__proto__", "constructor"]);
    expect(detailOf({ gone: undefined } as unknown as JsonObject)).toEqual({});
  });

  it("keeps details up to a size, and beyond it their digest", () => {
    const sized = (bytes: number): JsonObject => ({ t: "x".repeat(bytes - 8) });
    for (const bytes of [DETAIL_BYTES_MAX - 1, DETAIL_BYTES_MAX]) expect(detailOf(sized(bytes))).toEqual(sized(bytes));
    expect(detailOf(sized(DETAIL_BYTES_MAX + 1))).toEqual({
      bytes: DETAIL_BYTES_MAX + 1,
      digest: `sha256:${bytesToHex(sha256(Buffer.from(canonicalJson(sized(DETAIL_BYTES_MAX + 1)))))}`,
    });
  });

  it("keeps details up to a depth", () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
    const deep = (depth: number): JsonObject => ({ a: nested(depth - 1) });
    for (const depth of [DETAIL_DEPTH_MAX - 1, DETAIL_DEPTH_MAX]) expect(detailOf(deep(depth))).toEqual(deep(depth));
    expect(JSON.stringify(detailOf(deep(DETAIL_DEPTH_MAX + 1)))).toContain('["…"]');
    let abyss: Json = 1;
    for (let depth = 0; depth < 100_000; depth += 1) abyss = [abyss];
    expect(JSON.stringify(detailOf({ abyss })).length).toBeLessThan(1_000);
  });
});

describe("a line", () => {
  it("is canonical in the sense of RFC 8785, byte for byte", () => {
    const good = [
      "{}",
      '{"":0}',
      // Names are ordered by code unit: the pair of an emoji comes before a letter above it.
      '{"\ud83d\ude00":1,"\ufb33":2}',
      '{"1":{"a":1,"b":2},"10":[],"2":null}',
      '{"a":[1e+30,4.5,0.002,1e-27,333333333.3333333,9007199254740992,-1,true]}',
      '{"a":"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\/\u007f\u2028€"}',
      '{"a":"\\\\ud800"}',
    ];
    for (const line of good) expect(readCanonical(line), line).toHaveProperty("value");
    const bad = [
      "",
      "1",
      "null",
      "[]",
      "{} ",
      " {}",
      "{}\r",
      "\ufeff{}",
      '{"a": 1}',
      '{"b":1,"a":2}',
      '{"a":1,"a":1}',
      '{"a":1.0}',
      '{"a":-0}',
      '{"a":1e30}',
      '{"a":1E+30}',
      '{"a":1e999}',
      '{"a":9007199254740993}',
      '{"a":"\\u0041"}',
      '{"a":"\\/"}',
      '{"a":"\\u001F"}',
      '{"a":"\\ud800"}',
      '{"\\ud800":1}',
      '{"a":"\\ud83d\\ude00"}',
      `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    ];
    for (const line of bad) expect(readCanonical(line), line.slice(0, 40)).toHaveProperty("wrong");
  });

  it("has no member more or less than its kind", () => {
    const { line } = linkRecord(LINK, entry());
    const record = JSON.parse(line) as JsonObject;
    const wrong = (change: JsonObject): string => {
      const read = readLine(canonicalJson({ ...record, ...change }));
      return "wrong" in read ? read.wrong : "";
    };
    expect(wrong({})).toBe("");
    expect(wrong({ extra: 1 })).toBe('"extra" does not belong there');
    expect(wrong({ run: 1 })).toBe('"run" does not belong there');
    expect(wrong({ seq: 0 })).toBe('"seq" is not what it should be');
    expect(wrong({ seq: 1.5 })).toBe('"seq" is not what it should be');
    expect(wrong({ hash: "AB".repeat(32) })).toBe('"hash" is not what it should be');
    expect(wrong({ detail: [] })).toBe('"detail" is not what it should be');
    expect(wrong({ kind: "record" })).toBe("its kind is none of an export's");
    expect(wrong({ kind: "__proto__" })).toBe("its kind is none of an export's");
    const { actor: _, ...without } = record;
    expect(readLine(canonicalJson(without))).toEqual({ wrong: '"actor" is missing' });
  });
});
