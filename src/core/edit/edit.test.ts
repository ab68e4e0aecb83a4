import { describe, expect, it } from "vitest";
import { copySteps, editWorkflow, readOutline, stepsOf, type WorkflowEdit } from "./index.ts";

const SOURCE = `# Orders, once a day
name: orders # the name
args:
  url: { type: string }   # where they are

steps:
  # All of them.
  - id: fetch
    provider: http
    command: GET \${url}

  # One after the other
  - id: study   # slow
    for_each: fetch.outputs.items
    as: item
    # What to look for
    command: |
      Look at \${item}
      and at \${fetch.stdout}.
    depends_on: [fetch]

  - id: sum_up
    command: "Sum up: \${study.stdout}" # short
    depends_on:
      - study # first
outputs:
  text: "\${sum_up.stdout}"
`;

function edited(text: string, ...edits: readonly WorkflowEdit[]): string {
  return edits.reduce((before, edit) => {
    const outcome = editWorkflow(before, edit);
    if (!outcome.ok) throw new Error(outcome.failure);
    return outcome.value.text;
  }, text);
}

/** What differs, line by line. */
function changes(before: string, after: string): readonly string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}

describe("a text that no format allows", () => {
  it.each(["*it*", "&it done"])("is neither drawn nor edited: %s", (word) => {
    const text = `name: a\nsteps:\n  - id: one\n    command: ${word}\n  - { id: two, command: *it }\n`;
    expect(readOutline(text)).toBeNull();
    expect(editWorkflow(text, { kind: "set", path: ["steps", 0, "command"], value: "x" })).toMatchObject({ ok: false });
  });
});

describe("fields", () => {
  it("replaces a value where it stands, and keeps the comment behind it", () => {
    const next = edited(SOURCE, { kind: "set", path: ["steps", 2, "command"], value: "Be brief" });
    expect(changes(SOURCE, next)).toEqual([
      `-    command: "Sum up: \${study.stdout}" # short`,
      `+    command: Be brief # short`,
    ]);
  });

  it("puts the comment behind the key when the value becomes several lines", () => {
    const next = edited(SOURCE, { kind: "set", path: ["steps", 2, "command"], value: "One\nTwo" });
    expect(next).toContain("    command: |- # short\n      One\n      Two\n    depends_on:");
  });

  it("adds a key where a person would write it", () => {
    const next = edited(SOURCE, { kind: "set", path: ["steps", 0, "timeout"], value: "5m" });
    expect(next).toContain("    command: GET ${url}\n    timeout: 5m\n\n  # One");
    const named = edited(SOURCE, { kind: "set", path: ["steps", 1, "name"], value: "Study: it" });
    expect(named).toContain(`  - id: study   # slow\n    name: "Study: it"\n    for_each`);
  });

  it("edits maps in braces where they stand", () => {
    const next = edited(SOURCE, { kind: "set", path: ["args", "url", "default"], value: "a, b" });
    expect(next).toContain(`  url: { type: string, default: "a, b" }   # where they are`);
    expect(edited(next, { kind: "remove", path: ["args", "url", "default"] })).toBe(SOURCE);
  });

  it("removes a key, and the list or map it leaves empty", () => {
    const next = edited(SOURCE, { kind: "remove", path: ["steps", 2, "depends_on", 0] });
    expect(changes(SOURCE, next)).toEqual(["-    depends_on:", "-      - study # first"]);
    const first = edited("steps:\n  - name: A\n    id: a\n", { kind: "remove", path: ["steps", 0, "name"] });
    expect(first).toBe("steps:\n  - id: a\n");
  });

  it("writes lists and maps as a person would", () => {
    const next = edited(
      SOURCE,
      { kind: "set", path: ["steps", 0, "outputs"], value: { items: "array" } },
      { kind: "set", path: ["steps", 0, "tools"], value: ["a/b", "c"] },
      { kind: "set", path: ["steps", 0, "inputs", "body"], value: { a: 1, b: { c: [1, 2] } } },
    );
    expect(next).toContain("    outputs: { items: array }\n");
    expect(next).toContain("    tools: [a/b, c]\n");
    expect(next).toContain("    inputs:\n      body:\n        a: 1\n        b: { c: [1, 2] }\n");
  });
});

describe("what a step waits for", () => {
  const source = "steps:\n  - id: a\n    command: x\n  - id: b\n    depends_on: [a]\n    command: y\n";

  it("is written once: by what it reads, or by name", () => {
    const reading = edited(source, { kind: "set", path: ["steps", 1, "command"], value: "y ${a.stdout}" });
    expect(reading).toBe("steps:\n  - id: a\n    command: x\n  - id: b\n    command: y ${a.stdout}\n");
    expect(edited(reading, { kind: "set", path: ["steps", 1, "command"], value: "y" })).toBe(source);
    const settled = source.replace("[a]", "[{ step: a, on: settled }]");
    expect(edited(settled, { kind: "set", path: ["steps", 1, "command"], value: "${a.stdout}" })).toContain(
      "on: settled",
    );
  });
});

describe("steps", () => {
  it("adds one behind another, which it waits for, under an unused id", () => {
    const next = edited(SOURCE, {
      kind: "add",
      list: ["steps"],
      after: "fetch",
      step: { id: "study", command: "Look" },
    });
    expect(next).toContain(
      "    command: GET ${url}\n\n  - id: study_2\n    depends_on: [fetch]\n    command: Look\n\n  # One after the other\n",
    );
  });

  it("adds the first one to a text without steps", () => {
    const step = { id: "ask", command: "Ask" };
    const expected = "name: a\nsteps:\n  - id: ask\n    command: Ask\n";
    expect(edited("name: a\n", { kind: "add", list: ["steps"], after: null, step })).toBe(expected);
    expect(edited("name: a\nsteps: []\n", { kind: "add", list: ["steps"], after: null, step })).toBe(expected);
  });

  it("inserts one between two", () => {
    const step = { id: "check", approval: "required" };
    const next = edited(SOURCE, { kind: "insert", list: ["steps"], from: "study", to: "sum_up", step });
    expect(next).toContain("  - id: check\n    depends_on: [study]\n    approval: required\n");
    expect(next).toContain("    depends_on:\n      - check\n");
  });

  it("connects and disconnects", () => {
    const next = edited(SOURCE, { kind: "connect", list: ["steps"], from: "fetch", to: "sum_up" });
    expect(changes(SOURCE, next)).toEqual(["+      - fetch"]);
    expect(edited(next, { kind: "disconnect", list: ["steps"], from: "fetch", to: "sum_up" })).toBe(SOURCE);
    expect(editWorkflow(SOURCE, { kind: "connect", list: ["steps"], from: "sum_up", to: "fetch" })).toMatchObject({
      ok: false,
      failure: expect.stringContaining("wait for each other") as string,
    });
    const bare = edited(SOURCE, { kind: "disconnect", list: ["steps"], from: "study", to: "sum_up" });
    expect(editWorkflow(bare, { kind: "disconnect", list: ["steps"], from: "study", to: "sum_up" })).toMatchObject({
      failure: expect.stringContaining("reads a value") as string,
    });
  });

  it("renames everywhere, and nothing else", () => {
    const next = edited(SOURCE, { kind: "rename", path: ["steps", 0], id: "get_orders" });
    expect(next).toBe(
      SOURCE.replace("id: fetch", "id: get_orders")
        .replace("fetch.outputs", "get_orders.outputs")
        .replace("${fetch.stdout}", "${get_orders.stdout}")
        .replace("[fetch]", "[get_orders]"),
    );
    expect(edited(next, { kind: "rename", path: ["steps", 0], id: "fetch" })).toBe(SOURCE);
    expect(editWorkflow(SOURCE, { kind: "rename", path: ["steps", 0], id: "study" }).ok).toBe(false);
    expect(editWorkflow(SOURCE, { kind: "rename", path: ["steps", 0], id: "No Id" }).ok).toBe(false);
  });

  it("deletes with its comments, and who waited for it waits for what it waited for", () => {
    const next = edited(SOURCE, { kind: "delete", paths: [["steps", 1]] });
    expect(next).not.toContain("# One after the other");
    expect(next).toContain("# All of them.");
    expect(next).toContain("depends_on:\n      - fetch\n");
    expect(
      edited(SOURCE, {
        kind: "delete",
        paths: [
          ["steps", 0],
          ["steps", 1],
          ["steps", 2],
        ],
      }),
    ).toContain("steps: []\n");
  });

  it("groups steps into a block that hands on what others read", () => {
    const next = edited(SOURCE, { kind: "group", list: ["steps"], ids: ["fetch", "study"] });
    expect(next).toContain("  - id: block\n    steps:\n      # All of them.\n      - id: fetch\n");
    expect(next).toContain("      # One after the other\n      - id: study   # slow\n");
    expect(next).toContain("          Look at ${item}\n          and at ${fetch.stdout}.\n");
    expect(next).toContain('    outputs: { study: "${study.stdout}" }\n');
    expect(next).toContain('command: "Sum up: ${block.study}" # short');
    expect(next).toContain("      - block\n");
    const refused = editWorkflow(SOURCE, { kind: "group", list: ["steps"], ids: ["fetch", "sum_up"] });
    expect(refused).toMatchObject({ ok: false, failure: expect.stringContaining('"study"') as string });
  });

  it("groups all steps", () => {
    const next = edited("steps:\n  - { id: a, command: x }\n  - id: b\n    command: y\n", {
      kind: "group",
      list: ["steps"],
      ids: ["a", "b"],
    });
    expect(next).toBe(
      "steps:\n  - id: block\n    steps:\n      - { id: a, command: x }\n      - id: b\n        command: y\n",
    );
  });

  it("copies and pastes with comments, under unused ids", () => {
    const copied = copySteps(SOURCE, [
      ["steps", 0],
      ["steps", 1],
    ]);
    const next = edited(SOURCE, { kind: "paste", list: ["steps"], after: "sum_up", entries: copied });
    expect(next).toContain("  # One after the other\n  - id: study_2   # slow\n    for_each: fetch_2.outputs.items\n");
    expect(next).toContain("and at ${fetch_2.stdout}.\n    depends_on: [fetch_2]\n");
    expect(editWorkflow(SOURCE, { kind: "paste", list: ["steps"], after: null, entries: "hello" }).ok).toBe(false);
  });

  it("pastes under new ids that no other pasted step has, so that mentions still name the same step", () => {
    const source = "name: w\nsteps:\n  - id: a\n    command: Ask.\n";
    const entries =
      "- id: a\n  command: One.\n- id: a_2\n  command: Two.\n- id: c\n  command: Three.\n  depends_on: [a]\n";
    const next = edited(source, { kind: "paste", list: ["steps"], after: null, entries });
    expect(next).toBe(
      `${source}  - id: a_3\n    command: One.\n  - id: a_2\n    command: Two.\n  - id: c\n    command: Three.\n    depends_on: [a_3]\n`,
    );
  });

  it("edits steps inside branches", () => {
    const source =
      "steps:\n  - id: pick\n    choose:\n      - when: a > 1\n        steps:\n          - { id: x, command: X }\n      - else: []\n";
    const next = edited(source, {
      kind: "add",
      list: ["steps", 0, "choose", 1, "else"],
      after: null,
      step: { id: "y", command: "Y" },
    });
    expect(next).toContain("      - else:\n          - id: y\n            command: Y\n");
  });

  it("writes a choice of one branch on lines of its own, and each step in it", () => {
    const next = edited(
      "steps: []\n",
      { kind: "add", list: ["steps"], after: null, step: { id: "pick", choose: [{ when: "a", steps: [] }] } },
      {
        kind: "add",
        list: ["steps", 0, "choose", 0, "steps"],
        after: null,
        step: { id: "x", approval: "required" },
      },
    );
    expect(next).toBe(
      "steps:\n  - id: pick\n    choose:\n      - when: a\n        steps:\n          - id: x\n            approval: required\n",
    );
  });

  it("writes JSON into JSON", () => {
    const source = '{ "name": "a", "steps": [{ "id": "a", "command": "x" }] }';
    const next = edited(
      source,
      { kind: "add", list: ["steps"], after: "a", step: { id: "b", command: "y" } },
      { kind: "set", path: ["steps", 0, "timeout"], value: 5 },
    );
    expect(JSON.parse(next)).toEqual({
      name: "a",
      steps: [
        { id: "a", command: "x", timeout: 5 },
        { id: "b", depends_on: ["a"], command: "y" },
      ],
    });
  });

  it("changes nothing that cannot be read", () => {
    expect(editWorkflow("steps: [", { kind: "remove", path: ["steps"] }).ok).toBe(false);
  });
});

describe("the outline", () => {
  it("knows steps of texts that are not finished", () => {
    const outline = readOutline(SOURCE.replace("command: GET ${url}", "command:"));
    if (outline === null) throw new Error("not read");
    expect(
      stepsOf(outline).map(({ id, kind, parents, reads, firstLine, lastLine }) => [
        id,
        kind,
        parents,
        reads,
        firstLine,
        lastLine,
      ]),
    ).toEqual([
      ["fetch", "http", [], [], 8, 10],
      ["study", "agent", ["fetch"], ["fetch"], 13, 20],
      ["sum_up", "agent", ["study"], ["study"], 22, 25],
    ]);
  });

  it("looks into blocks and branches", () => {
    const outline = readOutline(
      "steps:\n  - id: a\n    set: { n: 1 }\n  - id: pick\n    choose:\n      - when: a.n > 1\n        steps: [{ id: x, command: X }]\n      - else: [{ id: y, approval: required }]\n  - id: each\n    for_each: [1]\n    steps: [{ id: z, wait: 5m }]\n",
    );
    expect(
      outline?.main.steps.map(({ kind, parents, blocks }) => [
        kind,
        parents,
        blocks.map(({ branch, steps }) => [branch, steps.map((step) => step.kind)]),
      ]),
    ).toEqual([
      ["set", [], []],
      [
        "choose",
        ["a"],
        [
          ["a.n > 1", ["agent"]],
          ["otherwise", ["gate"]],
        ],
      ],
      ["block", [], [[null, ["wait"]]]],
    ]);
  });
});
