import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { editWorkflow, readOutline, type OutlineStep, stepsOf, valueAt, type WorkflowEdit } from "./index.ts";
import { readDocument } from "./document.ts";

const EXAMPLES = new URL("../../../examples/", import.meta.url);
const TEXTS = ["", "patterns/"].flatMap((folder) =>
  readdirSync(new URL(folder, EXAMPLES))
    .filter((name) => name.endsWith(".lobsterX"))
    .map((name) => readFileSync(new URL(folder + name, EXAMPLES), "utf8")),
);
const RUNS = { numRuns: 25 };

const text = fc.oneof(
  fc.constantFrom(
    "plain",
    "two words",
    "a: b",
    "# no comment",
    "{x}",
    "[",
    "- a",
    "'",
    '"',
    "yes",
    "12",
    "",
    " lead",
    "end ",
  ),
  fc.string({ maxLength: 20 }),
  fc.constantFrom("one\ntwo", "one\n\n  two\n", "a\n# b\n", "tail \nx", "\nfirst"),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
    maxKeys: 4,
  }),
);

const key = fc.constantFrom("name", "timeout", "command", "description", "inputs", "outputs", "retry", "action");
const drawn = fc.record({
  source: fc.constantFrom(...TEXTS),
  edits: fc.array(fc.record({ kind: fc.nat(9), one: fc.nat(), two: fc.nat(), key, value }), {
    minLength: 1,
    maxLength: 6,
  }),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** An edit of what is there, from numbers. */
function editOf(
  source: string,
  { kind, one, two, key: name, value: given }: Drawn["edits"][number],
): WorkflowEdit | null {
  const outline = readOutline(source);
  const steps = outline === null ? [] : stepsOf(outline);
  const step = steps[one % Math.max(1, steps.length)];
  if (step === undefined) return null;
  const list = step.path.slice(0, -1);
  const others = steps.filter(({ path }) => JSON.stringify(path.slice(0, -1)) === JSON.stringify(list));
  const other = others[two % others.length] ?? step;
  const made: JsonObject = { id: "made", command: "Do ${x}" };
  switch (kind) {
    case 0:
    case 1:
      return { kind: "set", path: [...step.path, name], value: given };
    case 2:
      return { kind: "remove", path: [...step.path, name] };
    case 3:
      return { kind: "add", list, after: two % 2 === 0 ? step.id : null, step: made };
    case 4:
      return { kind: "connect", list, from: other.id, to: step.id };
    case 5:
      return { kind: "rename", path: step.path, id: `renamed_${two % 5}` };
    case 6:
      return { kind: "delete", paths: [step.path] };
    case 7:
      return { kind: "group", list, ids: [step.id, other.id] };
    case 8:
      return { kind: "insert", list, from: other.id, to: step.id, step: made };
    default:
      return { kind: "disconnect", list, from: other.id, to: step.id };
  }
}

const commentsIn = (source: string): readonly string[] => {
  const found: string[] = [];
  for (const line of source.split("\n")) if (/^\s*#/.test(line)) found.push(line.trim());
  return found;
};

describe("any edit of any example", () => {
  it("leaves a text that can be read", () => {
    fc.assert(
      fc.property(drawn, ({ source, edits }) => {
        let now = source;
        for (const one of edits) {
          const edit = editOf(now, one);
          const outcome = edit === null ? null : editWorkflow(now, edit);
          if (outcome?.ok === true) now = outcome.value.text;
          expect(readDocument(now)).not.toBeNull();
        }
      }),
      RUNS,
    );
  });

  it("sets what was asked for, and nothing else", () => {
    fc.assert(
      fc.property(drawn, ({ source, edits: [first] }) => {
        const edit = first === undefined ? null : editOf(source, { ...first, kind: 0 });
        if (edit?.kind !== "set") return;
        const outcome = editWorkflow(source, edit);
        if (!outcome.ok) throw new Error(outcome.failure);
        expect(withoutOrders(readDocument(outcome.value.text)?.value ?? null)).toEqual(
          withoutOrders(withMember(readDocument(source)?.value ?? null, edit.path, edit.value)),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("keeps every comment of what it does not touch, and the text of every other step", () => {
    fc.assert(
      fc.property(drawn, ({ source, edits: [first] }) => {
        const edit = first === undefined ? null : editOf(source, { ...first, kind: first.kind % 6 });
        const outcome = edit === null ? null : editWorkflow(source, edit);
        if (edit === null || outcome?.ok !== true) return;
        const after = outcome.value.text;
        if (edit.kind !== "set" && edit.kind !== "remove") expect(commentsIn(after)).toEqual(commentsIn(source));
        if (edit.kind === "set" || edit.kind === "remove") {
          const own = textOf(source, edit.path.slice(0, 2));
          expect(commentsIn(after.replace(own, ""))).toEqual(
            expect.arrayContaining(commentsIn(source.replace(own, "")) as string[]),
          );
          for (const step of topSteps(source)) {
            if (step.path[1] === edit.path[1] || step.path[0] !== "steps") continue;
            expect(after).toContain(textOf(source, step.path));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("renames there and back again to the very text", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), fc.nat(), (source, one) => {
        const outline = readOutline(source);
        const steps = outline === null ? [] : stepsOf(outline);
        const step = steps[one % Math.max(1, steps.length)];
        if (step === undefined) return;
        const there = editWorkflow(source, { kind: "rename", path: step.path, id: "another_name" });
        if (!there.ok) throw new Error(there.failure);
        expect(there.value.text).not.toBe(source);
        const renamed = readOutline(there.value.text);
        if (renamed === null || outline === null) throw new Error("not read");
        const parentsOf = (all: readonly OutlineStep[]): readonly string[] =>
          all.map(({ parents }) => parents.map((id) => (id === "another_name" ? step.id : id)).join());
        expect(parentsOf(stepsOf(renamed))).toEqual(parentsOf(steps));
        expect(editWorkflow(there.value.text, { kind: "rename", path: step.path, id: step.id })).toEqual({
          ok: true,
          value: { text: source, select: step.path },
        });
      }),
      { numRuns: 40 },
    );
  });
});

function topSteps(source: string): readonly OutlineStep[] {
  return readOutline(source)?.main.steps ?? [];
}

/** The lines of a step. */
function textOf(source: string, path: TreePath): string {
  const step = topSteps(source).find((each) => JSON.stringify(each.path) === JSON.stringify(path));
  return source
    .split("\n")
    .slice((step?.firstLine ?? 1) - 1, step?.lastLine ?? 0)
    .join("\n");
}

/** A field changes what is waited for by name, when it changes what is read. */
function withoutOrders(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutOrders);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (name === "depends_on" ? [] : [[name, withoutOrders(member)]])),
  );
}

function withMember(around: Json, [first, ...rest]: TreePath, given: Json): Json {
  if (first === undefined) return given;
  if (isJsonArray(around)) return around.map((item, index) => (index === first ? withMember(item, rest, given) : item));
  const map = isJsonObject(around) ? around : {};
  return { ...map, [String(first)]: withMember(valueAt(map, [first]) ?? null, rest, given) };
}
