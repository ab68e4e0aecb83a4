import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AUDIT_TYPES, auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { packAudit, unpackAudit } from "./audit-pack.ts";

const RUN = "run_1";
const text = fc.oneof(fc.string(), fc.constantFrom("", "\x1f", "\x1e", '"', "\\", "\u{1F600}", "run_1", "run_12"));
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "0", "attempt", "changed", "detail", "category"),
);
// Through text, as everything that enters a state has come: no -0, no undefined.
const detail = fc
  .dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 1 }), text), { maxKeys: 3 })
  .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);

const entry: fc.Arbitrary<AuditEntry> = fc
  .record({
    at: fc.nat(3),
    type: fc.oneof(fc.constantFrom("node.dispatched", "node.completed"), fc.constantFrom(...AUDIT_TYPES)),
    actor: fc.oneof(fc.constant(ENGINE_ACTOR), text),
    node: fc.option(text, { nil: undefined }),
    resource: fc.option(text, { nil: undefined }),
    run: fc.oneof({ weight: 4, arbitrary: fc.constant(RUN) }, fc.constantFrom(undefined, "run_12")),
    detail,
  })
  .map(({ node, run, resource, ...rest }) =>
    auditEntry({
      ...rest,
      resource: resource ?? (node === undefined ? `run/${RUN}` : `node/${node}`),
      ...(node === undefined ? {} : { node }),
      ...(run === undefined ? {} : { run }),
    }),
  );

describe("packing audit entries", () => {
  it("loses nothing", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
        expect(unpackAudit(RUN, packAudit(RUN, entries))).toEqual(entries);
      }),
      { numRuns: 300 },
    );
  });

  it("writes what entries have in common once", () => {
    const dispatched = (node: string): AuditEntry =>
      auditEntry({
        at: 1,
        type: "node.dispatched",
        actor: ENGINE_ACTOR,
        resource: `node/${node}`,
        run: RUN,
        node,
        detail: { attempt: 1, agentId: "a", verdictId: `vrd_${RUN}/${node}` },
      });
    const entries = [dispatched("x"), dispatched("y")];
    expect(JSON.parse(packAudit(RUN, entries).slice(1).replaceAll("\x1f", "~"))).toEqual([
      { type: "node.dispatched", at: 1, node: "x", detail: { attempt: 1, agentId: "a", verdictId: "vrd_~/x" } },
      { type: "node.dispatched", node: "y", changed: { verdictId: "vrd_~/y" } },
    ]);
  });

  it("cannot be mistaken for plain entries, which are read as they are", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), (entries) => {
        expect(() => JSON.parse(packAudit(RUN, entries)) as unknown).toThrow(SyntaxError);
        expect(unpackAudit(RUN, JSON.stringify(entries))).toEqual(entries);
        expect(unpackAudit(RUN, JSON.stringify(entries[0]))).toEqual(entries.slice(0, 1));
      }),
      { numRuns: 50 },
    );
  });
});
