import { INSTALLATION_FIGURES } from "./metrics.ts";

/** Paths that one process receives and answers for all processes. */
export type SharedPath = "/readyz" | "/metrics";

/** The answer of one process alone. */
export interface OwnAnswer {
  readonly pid: number;
  readonly status: number;
  /** The body in the form in which a caller receives it. */
  readonly body: string;
}

interface Series {
  readonly head: readonly string[];
  readonly lines: string[];
}

/** Combines the metrics of several processes in one text: each with a label for its process, those of the whole installation once. */
export function combinedMetrics(answers: readonly OwnAnswer[]): string {
  const all = new Map<string, Series>();
  answers.forEach(({ body, pid }, index) => {
    for (const [name, { head, lines }] of seriesIn(body)) {
      const known = all.get(name) ?? { head, lines: [] };
      all.set(name, known);
      if (!INSTALLATION_FIGURES.has(name)) known.lines.push(...lines.map((line) => labelled(line, String(pid))));
      else if (index === 0) known.lines.push(...lines);
    }
  });
  return `${[...all.values()].flatMap(({ head, lines }) => [...head, ...lines]).join("\n")}\n`;
}

function seriesIn(text: string): ReadonlyMap<string, Series> {
  const found = new Map<string, Series>();
  const lines = text.split("\n").filter((line) => line !== "");
  for (let index = 0; index < lines.length;) {
    const head = lines.slice(index, index + 2);
    const [, , name = ""] = (head[0] ?? "").split(" ", 3);
    let end = index + 2;
    while (end < lines.length && lines[end]?.startsWith("# ") === false) end += 1;
    found.set(name, { head, lines: lines.slice(index + 2, end) });
    index = end;
  }
  return found;
}

/** Adds a label to `name{a="b"} 1` or `name 1`. */
function labelled(line: string, process: string): string {
  const space = line.lastIndexOf(" ");
  const [series, value] = [line.slice(0, space), line.slice(space)];
  const label = `process="${process}"`;
  return series.endsWith("}") ? `${series.slice(0, -1)},${label}}${value}` : `${series}{${label}}${value}`;
}

/** Answers for all processes; the answer of the first process that is not ready takes precedence. */
export function combinedReadiness(answers: readonly OwnAnswer[]): Response {
  const wrong = answers.find(({ status }) => status !== 200) ?? null;
  const read = (answer: OwnAnswer): object => JSON.parse(answer.body) as object;
  const processes = answers.map((answer) => ({ pid: answer.pid, isReady: answer.status === 200 }));
  const [first] = answers;
  const body = { ...(wrong === null ? (first === undefined ? {} : read(first)) : read(wrong)), processes };
  const headers = {
    "content-type": wrong === null ? "application/json; charset=utf-8" : "application/problem+json; charset=utf-8",
    ...(wrong === null ? {} : { "retry-after": "2" }),
  };
  return new Response(JSON.stringify(body), { status: wrong?.status ?? 200, headers });
}
