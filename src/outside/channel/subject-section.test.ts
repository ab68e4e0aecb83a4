import { describe, expect, it } from "vitest";
import type { Subject } from "../../core/event/index.ts";
import { sectionsOf } from "./subject-section.ts";

const SUBJECT: Subject = {
  title: "Refund 900?",
  workflow: "support",
  version: 2,
  startedBy: "ann@example.com",
  trigger: "api",
  args: { order: 7 },
  request: null,
  shown: [],
  parents: {},
  costMicros: 20_000,
  estimateMicros: null,
  policies: [{ name: "large-refunds", reason: "over 500" }],
  agent: { id: "clerk", trust: 3 },
  action: "financial",
  answers: [{ decision: "approve", effect: "The call is made exactly as it is shown." }],
};
const HELD = { source: "tool", choices: ["approve", "reject", "abort"] } as const;

const textOf = (subject: Subject, asked: Parameters<typeof sectionsOf>[1] = HELD): string =>
  sectionsOf(subject, asked)
    .map(({ label, text, rows }) => `${label}\n${text}${rows.map((row) => row.join(" = ")).join("\n")}`)
    .join("\n");

describe("what a message shows of an approval", () => {
  const call = { tool: "refund", server: "shop", args: { order: 7, amount: 900 }, action: "financial", round: 1 };

  it("says what an answer starts where no single request is sent, and else that nothing is", () => {
    const effect = "Once 2 people have approved: A run of audit is started.";
    const whatFor = (answers: Subject["answers"]): string | undefined =>
      textOf({ ...SUBJECT, answers }, { source: "gate", choices: ["approve", "reject"] }).split("\n")[1];
    expect(whatFor([{ decision: "approve", effect }])).toBe(effect);
    expect(whatFor([{ decision: "retry", effect: "each is tried again." }])).toBe("each is tried again.");
    expect(whatFor([{ decision: "approve", effect: "Nothing is sent; the run continues." }])).toContain(
      "Nothing is sent",
    );
    expect(whatFor([{ decision: "skip", effect: "a is skipped." }])).toContain("Nothing is sent");
  });

  it("is the tool call that is held, with its args and the words before it", () => {
    const text = textOf({ ...SUBJECT, call: { ...call, words: "The lamp arrived broken." } });
    expect(text.split("\n").slice(0, 7)).toEqual([
      "What exactly will happen",
      "The tool refund of the server shop is called with exactly these args. Its kind is financial.",
      "Args of the call",
      "order = 7",
      "amount = 900",
      "What the model said before it",
      "The lamp arrived broken.",
    ]);
    for (const part of ["large-refunds: over 500", "trust 3", "0.02 dollars"]) expect(text).toContain(part);
    expect(text).not.toContain("Nothing is sent");
  });

  it("says when a call may have been made already", () => {
    const text = textOf({ ...SUBJECT, call: { ...call, words: "" } }, { ...HELD, choices: ["approve", "retry"] });
    expect(text).toContain("may or may not have been called");
    expect(text).not.toContain("What the model said");
  });

  it("is the request with its inputs, each once, and what the author chose", () => {
    const request = { provider: "http", model: null, message: "https://shop.example.com", stdin: null, tools: [] };
    const text = textOf(
      {
        ...SUBJECT,
        request: { ...request, inputs: { amount: 900 } },
        shown: [
          { label: "amount", kind: "value", value: 900 },
          { label: "Seal", kind: "image", value: "data:image/png;base64,AAAA" },
          { label: "Bill", kind: "file", value: { name: "bill.pdf", mime: "application/pdf", size: 12, sha256: "0" } },
          { label: "Change", kind: "diff", before: "a\nb", after: "a\nc" },
          { label: "Photo", kind: "image", value: null },
        ],
      },
      { source: "gate", choices: ["approve", "reject"] },
    );
    expect(text.match(/^amount/gm)).toHaveLength(1);
    for (const part of [
      "image/png; the",
      "bill.pdf (application/pdf, 12 bytes)",
      "An HTTP request is sent",
      "Inputs\namount = 900",
      "- b\n+ c",
      "Photo\nNothing",
    ])
      expect(text).toContain(part);
  });

  it("shows characters that would change how the rest is read", () => {
    const args = { to: "\u202egnp.exe", order: "a\u200bb" };
    const text = textOf({ ...SUBJECT, call: { ...call, args, words: "\u001b[2K" } });
    for (const part of ["to = ⟨U+202E⟩gnp.exe", "order = a⟨U+200B⟩b", "␛[2K"]) expect(text).toContain(part);
  });
});
