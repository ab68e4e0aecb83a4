export interface Family {
  readonly type: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,?)/;

/** Reads the text format of Prometheus as strictly as it is defined, and throws at whatever does not fit. */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, { type: string; samples: Sample[] }>();
  const seen = new Set<string>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (head !== null) {
      const [, word = "", name = "", rest = ""] = head;
      if (word === "HELP" && families.has(name)) throw new Error(`${name} comes twice`);
      if (word === "TYPE" && name !== current) throw new Error(`${name} has no help`);
      if (word === "TYPE" && !/^(?:counter|gauge|histogram)$/.test(rest)) throw new Error(`${name} is a ${rest}`);
      current = name;
      families.set(name, { type: word === "TYPE" ? rest : "", samples: families.get(name)?.samples ?? [] });
      continue;
    }
    const sample = readSample(line);
    const family = families.get(current);
    const suffix = sample.name.slice(current.length);
    const fitting = family?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    if (family === undefined || !sample.name.startsWith(current) || !fitting.includes(suffix)) {
      throw new Error(`${line} does not belong to ${current}`);
    }
    const key = line.slice(0, line.lastIndexOf(" "));
    if (seen.has(key)) throw new Error(`${key} comes twice`);
    seen.add(key);
    family.samples.push(sample);
  }
  for (const [name, family] of families) {
    if (/(?:^|_)(?:counter|gauge|histogram|summary)(?:_|$)/.test(name)) throw new Error(`${name} names a type`);
    if (family.type === "counter" && !name.endsWith("_total")) throw new Error(`${name} is a counter by another name`);
    if (family.type === "histogram") checkHistogram(name, family.samples);
  }
  return families;
}

function readSample(line: string): Sample {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) throw new Error(`no name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    while (!rest.startsWith("}")) {
      const [all, label = "", value = ""] = LABEL.exec(rest) ?? [];
      if (all === undefined || Object.hasOwn(labels, label)) throw new Error(`bad labels: ${line}`);
      labels[label] = value.replaceAll(/\\(.)/g, (_, kind: string) => (kind === "n" ? "\n" : kind));
      rest = rest.slice(all.length);
    }
    rest = rest.slice(1);
  }
  if (!/^ [+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN)$/.test(rest)) throw new Error(`bad value: ${line}`);
  return { name, labels, value: Number(rest) };
}

/** Buckets grow, the last is of everything, and there is a sum and a count for each set of labels. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _limit, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const limits = buckets.map(({ labels }) => (labels["le"] === "+Inf" ? Infinity : Number(labels["le"])));
    const counts = buckets.map(({ value }) => value);
    const isSorted = (list: readonly number[]): boolean =>
      list.every((each, at) => at === 0 || each >= (list[at - 1] ?? 0));
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const hasSum = group.some((sample) => sample.name === `${name}_sum`);
    if (!isSorted(limits) || !isSorted(counts) || limits.at(-1) !== Infinity || counts.at(-1) !== count || !hasSum) {
      throw new Error(`${name}${key} is no histogram`);
    }
  }
}
