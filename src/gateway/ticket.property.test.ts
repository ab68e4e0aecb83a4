import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ticket, Tickets } from "./ticket.ts";

const tickets = new Tickets("a key of the installation");
const TICKET: Ticket = { orgId: "default", runId: "run_1", nodeId: "a[0]", attempt: 2, expiresAt: 5_000 };

describe("a ticket", () => {
  it("is read as it was written, until the moment it expires", () => {
    const token = tickets.write(TICKET);
    expect(tickets.read(token, 4_999)).toEqual({ kind: "good", ticket: TICKET });
    expect(tickets.read(token, 5_000)).toEqual({ kind: "expired" });
    expect(tickets.read(token, 5_001)).toEqual({ kind: "expired" });
  });

  it("can stand in a URL as it is", () => {
    const token = tickets.write({ ...TICKET, nodeId: "ä/ ?#%" });
    expect(token).toMatch(/^cb_[\w.-]+$/);
    expect(tickets.read(token, 0)).toMatchObject({ kind: "good", ticket: { nodeId: "ä/ ?#%" } });
  });

  it("is not read by another key, nor expired by it", () => {
    const token = new Tickets("another key").write({ ...TICKET, expiresAt: 1 });
    expect(tickets.read(token, 0)).toEqual({ kind: "bad" });
    expect(tickets.read(token, 9_999)).toEqual({ kind: "bad" });
  });

  it.each(["", "cb_", "cb_.", "cb_a", "cb_a.b", ".", "cb_..", "cb_e30.", "%E0%A4%A", "slk_admin"])(
    "is not %j",
    (token) => {
      expect(tickets.read(token, 0)).toEqual({ kind: "bad" });
    },
  );

  it("is not what is left of it, nor what has more", () => {
    const token = tickets.write(TICKET);
    for (const other of [`${token}.`, `${token}.x`, `${token}=`, ` ${token}`, `${token}\n`, token.slice(0, -1)]) {
      expect(tickets.read(other, 0)).toEqual({ kind: "bad" });
    }
  });
});

const anyTicket = fc.record({
  orgId: fc.string(),
  runId: fc.string(),
  nodeId: fc.string({ unit: "grapheme" }),
  attempt: fc.integer({ min: 1 }),
  expiresAt: fc.integer({ min: 1 }),
});

describe("laws", () => {
  it("reads every ticket it wrote", () => {
    fc.assert(
      fc.property(anyTicket, (ticket) => {
        expect(tickets.read(tickets.write(ticket), 0)).toEqual({ kind: "good", ticket });
      }),
      { numRuns: 200 },
    );
  });

  it("reads no token in which one character is another", () => {
    const token = tickets.write(TICKET);
    const characters = fc.constantFrom(..."ABCabc019-_.=".split(""));
    fc.assert(
      fc.property(fc.nat({ max: token.length - 1 }), characters, (at, character) => {
        fc.pre(token[at] !== character);
        const altered = token.slice(0, at) + character + token.slice(at + 1);
        expect(tickets.read(altered, 0)).toEqual({ kind: "bad" });
      }),
      { numRuns: 500 },
    );
  });

  it("reads no ticket under the signature of another", () => {
    const [, signature = ""] = tickets.write(TICKET).split(".");
    fc.assert(
      fc.property(anyTicket, (ticket) => {
        fc.pre(JSON.stringify(ticket) !== JSON.stringify(TICKET));
        const [body = ""] = tickets.write(ticket).split(".");
        expect(tickets.read(`${body}.${signature}`, 0)).toEqual({ kind: "bad" });
      }),
      { numRuns: 100 },
    );
  });
});
