import type { Json } from "../../base/index.ts";
import { ANY, BOOLEAN, NUMBER, type Known } from "../known.ts";
import { sliceList } from "../slice.ts";
import type { Call } from "./call.ts";
import { indexIn } from "./equal.ts";
import { condition, type FunctionEntry, lambda, list, number, oneOf, optional, rest, value } from "./function.ts";
import { keyed } from "./key.ts";
import { finite } from "./number.ts";
import { runSort, runSortBy } from "./sort.ts";

const listOf = (items: Known): Known => ({ kind: "list", items });
const sameList = ([first]: readonly Known[]): Known => (first?.kind === "list" ? first : listOf(ANY));
const itemsOf = ([first]: readonly Known[]): Known => (first?.kind === "list" ? first.items : ANY);

/** Returns the elements for which the lambda in the second argument is true. */
function chosen(call: Call): Json[] {
  return call.list(0).filter((item, index) => call.holds(1, item, index));
}

function runUnique(call: Call): readonly Json[] {
  const seen = new Set<string>();
  call.meter.elements(call.list(0).length);
  return call.list(0).filter((item, index) => {
    const key = keyed(call, call.hasLambda(1) ? (call.apply(1, item, index) ?? null) : item);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function runGroupBy(call: Call): Json {
  const groups = new Map<string, Json[]>();
  call.list(0).forEach((item, index) => {
    const key = call.textOf(call.apply(1, item, index));
    call.meter.characters(key.length);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  });
  return Object.fromEntries(groups);
}

function runFlatten(call: Call): readonly Json[] {
  const flat: Json[] = [];
  for (const item of call.list(0)) {
    if (!Array.isArray(item)) {
      flat.push(item);
      continue;
    }
    call.meter.elements(item.length);
    for (const inner of item) flat.push(inner);
  }
  call.meter.elements(flat.length);
  return flat;
}

function runZip(call: Call): readonly Json[] {
  const lists = call.from(0) as readonly (readonly Json[])[];
  const length = Math.min(...lists.map((one) => one.length));
  call.meter.elements(length * lists.length);
  return Array.from({ length }, (_, index) => lists.map((one) => one[index] ?? null));
}

function runRange(call: Call): readonly Json[] {
  const [from, to] = call.count === 1 ? [0, call.whole(0)] : [call.whole(0), call.whole(1)];
  const step = call.whole(2, 1);
  if (step === 0) throw call.kindFault("range needs a step that is not 0", 2);
  const length = Math.max(0, Math.ceil((to - from) / step));
  call.meter.elements(length);
  return Array.from({ length }, (_, index) => finite(from + index * step) ?? null);
}

function runReverse(call: Call): Json {
  if (call.isList(0)) {
    call.meter.elements(call.list(0).length);
    return call.list(0).toReversed();
  }
  call.makeText(call.text(0).length);
  return Array.from(call.text(0)).reverse().join("");
}

/** Returns the first or last elements, as many as requested. A negative number returns none. */
function part(call: Call, from: (count: number) => number, to: (count: number) => number | null): readonly Json[] {
  const count = Math.max(0, call.whole(1));
  call.meter.elements(call.list(0).length);
  return sliceList(call.list(0), from(count), to(count));
}

export const LIST_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "map",
    parameters: [list(), lambda("each")],
    about: "What the lambda makes of each element; a second name is its index, as in (x, i) => ….",
    example: "map([1, 2], x => x * 10)",
    gives: [10, 20],
    result: ([, each]) => listOf(each ?? ANY),
    run: (call) => call.list(0).map((item, index) => call.apply(1, item, index) ?? null),
  },
  {
    name: "filter",
    parameters: [list(), condition("keeps")],
    about: "The elements for which the lambda is true.",
    example: "filter([5, 12, 20], x => x > 10)",
    gives: [12, 20],
    result: sameList,
    run: chosen,
  },
  {
    name: "find",
    parameters: [list(), condition("wanted")],
    about: "The first element for which the lambda is true; null when there is none.",
    example: "find([{id: 1, ok: false}, {id: 2, ok: true}], x => x.ok)",
    gives: { id: 2, ok: true },
    result: itemsOf,
    run: (call) => call.list(0).find((item, index) => call.holds(1, item, index)) ?? null,
  },
  {
    name: "any",
    parameters: [list(), condition("holds")],
    about: "Whether the lambda is true for at least one element.",
    example: "any([1, 5], x => x > 3)",
    gives: true,
    result: BOOLEAN,
    run: (call) => call.list(0).some((item, index) => call.holds(1, item, index)),
  },
  {
    name: "all",
    parameters: [list(), condition("holds")],
    about: "Whether the lambda is true for every element; true of an empty list.",
    example: "all([1, 5], x => x > 3)",
    gives: false,
    result: BOOLEAN,
    run: (call) => call.list(0).every((item, index) => call.holds(1, item, index)),
  },
  {
    name: "sort",
    parameters: [list()],
    about: "Numbers by size or texts by code unit, the smallest first and null last.",
    example: "sort([3, 1, 2])",
    gives: [1, 2, 3],
    result: sameList,
    run: runSort,
  },
  {
    name: "sort_by",
    parameters: [list(), lambda("key")],
    about: "Sorted by what the lambda gives; equal ones keep their order.",
    example: "sort_by([{n: 2}, {n: 1}], x => x.n)",
    gives: [{ n: 1 }, { n: 2 }],
    result: sameList,
    run: runSortBy,
  },
  {
    name: "unique",
    parameters: [list(), optional(lambda("key"))],
    about: "Each value once, the first of equal ones; with a lambda, equal by what it gives.",
    example: "unique(['a', 'b', 'a'])",
    gives: ["a", "b"],
    result: sameList,
    run: runUnique,
  },
  {
    name: "group_by",
    parameters: [list(), lambda("key")],
    about: "An object of lists: the elements under the text that the lambda gives.",
    example: "group_by([{t: 'a', n: 1}, {t: 'b', n: 2}, {t: 'a', n: 3}], x => x.t)",
    gives: {
      a: [
        { t: "a", n: 1 },
        { t: "a", n: 3 },
      ],
      b: [{ t: "b", n: 2 }],
    },
    result: { kind: "object", fields: new Map(), isOpen: true },
    run: runGroupBy,
  },
  {
    name: "flatten",
    parameters: [list()],
    about: "Lists in the list replaced by their elements, one level deep.",
    example: "flatten([[1, 2], 3, [[4]]])",
    gives: [1, 2, 3, [4]],
    result: listOf(ANY),
    run: runFlatten,
  },
  {
    name: "reverse",
    parameters: [oneOf("list or text", "list", "text")],
    about: "The elements or characters in the other direction.",
    example: "reverse([1, 2, 3])",
    gives: [3, 2, 1],
    result: ([first]) => first ?? ANY,
    run: runReverse,
  },
  {
    name: "first",
    parameters: [list()],
    about: "The first element; null of an empty list.",
    example: "first(['a', 'b'])",
    gives: "a",
    result: itemsOf,
    run: (call) => call.list(0)[0] ?? null,
  },
  {
    name: "last",
    parameters: [list()],
    about: "The last element; null of an empty list.",
    example: "last(['a', 'b'])",
    gives: "b",
    result: itemsOf,
    run: (call) => call.list(0).at(-1) ?? null,
  },
  {
    name: "take",
    parameters: [list(), number("count")],
    about: "The first so many elements.",
    example: "take([1, 2, 3], 2)",
    gives: [1, 2],
    result: sameList,
    run: (call) =>
      part(
        call,
        () => 0,
        (count) => count,
      ),
  },
  {
    name: "skip",
    parameters: [list(), number("count")],
    about: "The list without its first so many elements.",
    example: "skip([1, 2, 3], 2)",
    gives: [3],
    result: sameList,
    run: (call) =>
      part(
        call,
        (count) => count,
        () => null,
      ),
  },
  {
    name: "zip",
    parameters: [list("list"), rest(list("other"))],
    about: "Lists of the first elements, of the second, and so on, as far as the shortest list goes.",
    example: "zip(['a', 'b'], [1, 2])",
    gives: [
      ["a", 1],
      ["b", 2],
    ],
    result: listOf(listOf(ANY)),
    run: runZip,
  },
  {
    name: "range",
    parameters: [number("from or count"), optional(number("to")), optional(number("step"))],
    about: "Whole numbers from 0 up to a count, or from one number up to, not including, another.",
    example: "range(1, 4)",
    gives: [1, 2, 3],
    result: listOf(NUMBER),
    run: runRange,
  },
  {
    name: "count",
    parameters: [list(), optional(condition("counts"))],
    about: "How many elements there are, or for how many the lambda is true.",
    example: "count([1, 5, 9], x => x > 3)",
    gives: 2,
    result: NUMBER,
    run: (call) => (call.hasLambda(1) ? chosen(call).length : call.list(0).length),
  },
  {
    name: "index_of",
    parameters: [oneOf("list or text", "list", "text"), value("wanted")],
    about: "Where the first equal element, or the part of the text, stands, counted from 0; -1 when nowhere.",
    example: "index_of(['a', 'b'], 'b')",
    gives: 1,
    result: NUMBER,
    run: indexIn,
  },
];
