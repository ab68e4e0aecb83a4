import { type FunctionEntry, FUNCTIONS, signatureOf } from "../../src/core/expression/index.ts";

const TITLES: Readonly<Record<keyof typeof FUNCTIONS, string>> = {
  text: "Text",
  numbers: "Numbers",
  lists: "Lists",
  objects: "Objects",
  values: "Values",
  time: "Time",
};

/** The page docs/reference/functions.md, from the table the evaluator uses. */
export function renderFunctionReference(): string {
  const groups = (Object.keys(FUNCTIONS) as (keyof typeof FUNCTIONS)[]).map((group) => {
    const rows = FUNCTIONS[group].map(rowOf);
    return `## ${TITLES[group]}\n\n| Function | What it gives | Example | Gives |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `${HEAD}\n\n${groups.join("\n")}`;
}

const HEAD = `# Functions

Written by \`npm run docs\` from \`src/core/expression/function\`; do not edit. [Expressions](../expressions.md) explains the language
around them. A name with \`?\` may be left out. \`x => …\` is a lambda; it stands only where it is shown here.`;

function rowOf(entry: FunctionEntry): string {
  const cells = [code(signatureOf(entry)), entry.about, code(entry.example), code(JSON.stringify(entry.gives))];
  return `| ${cells.join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
