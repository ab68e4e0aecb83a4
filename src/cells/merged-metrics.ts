const SAMPLE = /^([A-Za-z_:][\w:]*)(\{(.*)\})?( .*)$/;
const ABOUT = /^# (?:HELP|TYPE) (\S+)/;

/** Merges the metrics of all cells. Each sample gets the label of its cell, and each metric family is described once. */
export function mergedMetrics(texts: readonly { readonly cell: string; readonly text: string }[]): string {
  const families = new Map<string, { readonly about: string[]; readonly samples: string[] }>();
  for (const { cell, text } of texts) {
    let family = { about: [] as string[], samples: [] as string[] };
    let isKnown = false;
    for (const line of text.split("\n")) {
      const name = ABOUT.exec(line)?.[1];
      if (name !== undefined) {
        isKnown = families.has(name) && !line.startsWith("# TYPE");
        family = families.get(name) ?? { about: [], samples: [] };
        families.set(name, family);
        if (!family.about.includes(line) && !isKnown) family.about.push(line);
        continue;
      }
      const [, sample, , labels = "", value] = SAMPLE.exec(line) ?? [];
      if (sample === undefined || value === undefined) continue;
      const all = [`cell="${cell}"`, ...(labels === "" ? [] : [labels])].join(",");
      family.samples.push(`${sample}{${all}}${value}`);
    }
  }
  const lines = [...families.values()].flatMap(({ about, samples }) => [...about, ...samples]);
  return `${lines.join("\n")}\n`;
}
