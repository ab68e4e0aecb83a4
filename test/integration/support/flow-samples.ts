import { type Sample, sample, type SentEvent, step } from "./workload.ts";

/** What a file holds that samples are given, and what the program of the adapter `process` does with one. */
export const REPORT = { name: "report.txt", mime: "text/plain", text: "low tide\nhigh tide\n" } as const;

/** Steps without a provider are answered by the script; files are copied by a program of this machine. */
export const ADAPTER_CONFIG = {
  default_provider: "scripted",
  adapters: {
    process: { commands: { copy: { argv: ["sh", "-c", 'cat "$SLUICE_FILE_REPORT" > "$SLUICE_OUTPUTS/copy.txt"'] } } },
  },
};

const copy = (id: string, from: string, depends_on: readonly string[] = []) =>
  step(id, depends_on, {
    provider: "process",
    command: "copy",
    inputs: { report: { type: "file", from } },
    outputs: { copy: "file" },
  });

const order = { order: { type: "string", required: true } };
const ordered = (key: string) => ({ order: key });
const about = (key: string, id: string, part: object = {}): Omit<SentEvent, "type" | "takers"> => ({
  id: `${key}-${id}`,
  key: { order: key, ...part },
  data: { from: id },
});

/**
 * Loops, waits, events, blocks, handlers and files. Each takes about as long as a server lives, so that a kill may hit
 * any part of it, and says what has to come of it in the end.
 */
export const FLOW_SAMPLES: readonly Sample[] = [
  sample(
    "rounds",
    [
      step("improve", [], { command: "improve, round ${round}", repeat: { until: "round >= 2", max: 5 } }),
      step("poll", ["improve"], { repeat: { until: "round >= 1", max: 3, every: "1s" } }),
      step("end", ["poll"]),
    ],
    { outputs: { improved: "${improve.rounds}", polled: "${poll.rounds}" } },
    { outputs: () => ({ improved: 3, polled: 2 }) },
  ),
  sample(
    "round-blocks",
    [
      {
        id: "cycle",
        repeat: { until: "round >= 2", max: 5 },
        steps: [step("draft"), { id: "rest", wait: 1, depends_on: ["draft"] }, step("review", ["rest"])],
        outputs: { number: "${round}" },
      },
      step("end", ["cycle"]),
    ],
    { outputs: { rounds: "${cycle.rounds}", last: "${cycle.number}" } },
    { outputs: () => ({ rounds: 3, last: 2 }) },
  ),
  sample(
    "each-block",
    [
      {
        id: "each",
        for_each: "orders",
        as: "item",
        max_parallel: 3,
        steps: [
          { id: "check", set: { large: { expr: "item.total > 100" } } },
          {
            id: "route",
            choose: [
              { name: "by_hand", when: "check.large", steps: [step("look"), step("ask", ["look"])] },
              { name: "at_once", else: [step("confirm")] },
            ],
          },
        ],
        outputs: { id: "${item.id}", way: "${route.branch}" },
      },
      step("sum", ["each"]),
    ],
    {
      args: { orders: { type: "array", default: [250, 20, 300, 40].map((total, id) => ({ id, total })) } },
      outputs: { ways: { expr: "map(each.items, one => one.way)" } },
      finally: [step("report"), step("close", ["report"])],
    },
    { outputs: () => ({ ways: ["by_hand", "at_once", "by_hand", "at_once"] }) },
  ),
  sample(
    "naps",
    [
      { id: "nap", wait: 1 },
      step("woken", ["nap"]),
      { id: "until", wait: { until: "date_add(run.started_at, 3, 'seconds')" } },
      { id: "inside", steps: [{ id: "again", wait: 1 }, step("up", ["again"])], depends_on: ["woken"] },
      step("end", ["inside", "until"]),
    ],
    { finally: [{ id: "rest", wait: 1 }, step("last", ["rest"])] },
  ),
  // One waits from the beginning and one begins later, so that what is sent comes before it or after it.
  sample(
    "paid",
    [
      { id: "at_once", wait: { event: "order.paid", match: { order: "${order}" } } },
      { id: "nap", wait: 2 },
      { id: "later", wait: { event: "order.paid", match: { order: "${order}" } }, depends_on: ["nap"] },
      step("ship", ["at_once", "later"]),
    ],
    { args: order, outputs: { first: "${at_once.from}", second: "${later.from}" } },
    {
      args: ordered,
      events: (key) => [{ ...about(key, "payment"), type: "order.paid", takers: 2 }],
      outputs: () => ({ first: "payment", second: "payment" }),
    },
  ),
  sample(
    "parcels",
    [
      {
        id: "parcel",
        wait: { event: "parcel.arrived", match: { order: "${order}" } },
        repeat: { until: "round >= 2", max: 3 },
      },
      {
        id: "letter",
        repeat: { until: "round >= 1", max: 2 },
        steps: [
          { id: "arrived", wait: { event: "letter.arrived", match: { order: "${order}" } } },
          step("open", ["arrived"]),
        ],
      },
      {
        id: "part",
        for_each: ["left", "right"],
        as: "side",
        steps: [
          { id: "arrived", wait: { event: "part.arrived", match: { order: "${order}", side: "${side}" } } },
          step("fit", ["arrived"]),
        ],
        outputs: { from: "${arrived.from}" },
      },
      step("end", ["parcel", "letter", "part"]),
    ],
    { args: order, outputs: { parts: { expr: "map(part.items, one => one.from)" } } },
    {
      args: ordered,
      events: (key) => [
        ...["p1", "p2", "p3"].map((id) => ({ ...about(key, id), type: "parcel.arrived", takers: 1 })),
        ...["l1", "l2"].map((id) => ({ ...about(key, id), type: "letter.arrived", takers: 1 })),
        ...["left", "right"].map((side) => ({ ...about(key, side, { side }), type: "part.arrived", takers: 1 })),
      ],
      outputs: () => ({ parts: ["left", "right"] }),
    },
  ),
  sample(
    "talk",
    [
      step("think"),
      { id: "say", emit: { type: "said", key: { run: "${run.id}" }, data: { words: "hello" } }, depends_on: ["think"] },
      { id: "heard", wait: { event: "said", match: { run: "${run.id}" } } },
      {
        id: "answer",
        depends_on: ["heard"],
        steps: [
          step("think_again"),
          { id: "say_again", emit: { type: "answered", key: { run: "${run.id}" } }, depends_on: ["think_again"] },
        ],
      },
      { id: "heard_again", wait: { event: "answered", match: { run: "${run.id}" } } },
      step("end", ["heard", "heard_again"]),
    ],
    { outputs: { words: "${heard.words}" } },
    { outputs: () => ({ words: "hello" }) },
  ),
  sample(
    "handled",
    [
      step("pay"),
      step("refund", [], { depends_on: [{ step: "pay", on: "failure" }] }),
      step("note", [], { depends_on: [{ step: "pay", on: "settled" }] }),
      step("never", [], { depends_on: [{ step: "note", on: "failure" }] }),
      step("slow"),
      step("fast"),
      step("first", [], { depends_on: ["slow", "fast"], join: "any", race: true }),
      { id: "work", steps: [step("try"), step("help", [], { depends_on: [{ step: "try", on: "failure" }] })] },
      step("end", ["note", "work", "first", "refund"]),
    ],
    { outputs: { code: "${pay.error.code}" }, finally: [step("report")] },
  ),
  sample(
    "files",
    [
      copy("one", "report"),
      {
        id: "inside",
        for_each: [1, 2],
        as: "number",
        steps: [copy("two", "one.outputs.copy")],
        outputs: { copy: "${two.copy}" },
      },
      step("end", ["inside"], { inputs: { report: { type: "file", from: "one.outputs.copy" } } }),
    ],
    {
      args: { report: { type: "file", required: true } },
      outputs: { copies: { expr: "map(inside.items, one => one.copy)" }, one: { value: "${one.copy}", type: "file" } },
    },
    { takesFile: "report" },
  ),
];
