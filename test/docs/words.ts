/** A command line as a small shell reads it: quotes, variables, and the output of other commands. */
export interface Surroundings {
  readonly variable: (name: string) => string;
  readonly output: (command: string) => Promise<string>;
}

/** Cuts at a mark that stands outside quotes and brackets. */
export function cut(line: string, mark: "&&" | "|" | "#"): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quote = "";
  let depth = 0;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === "\\" && quote !== "'") at += 1;
    else if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    else if (depth === 0 && line.startsWith(mark, at) && (mark !== "#" || /\s/.test(line.charAt(at - 1) || " "))) {
      parts.push(line.slice(start, at));
      start = at + mark.length;
      at = start - 1;
    }
  }
  return [...parts, line.slice(start)].map((part) => part.trim());
}

/** Without the remark at its end. */
export function withoutRemark(line: string): string {
  return cut(line, "#")[0] ?? "";
}

/** The words of one command. */
export async function wordsIn(line: string, { variable, output }: Surroundings): Promise<readonly string[]> {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === "\\" && quote !== "'") {
      at += 1;
      word = (word ?? "") + line.charAt(at);
    } else if (sign === "$" && quote !== "'") {
      const { value, end } = await expand(line, at, { variable, output });
      word = (word ?? "") + value;
      at = end;
    } else if (quote !== "") {
      if (sign === quote) quote = "";
      else word = (word ?? "") + sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= "";
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + sign;
  }
  if (quote !== "") throw new Error(`a quote is left open in: ${line}`);
  return word === null ? words : [...words, word];
}

async function expand(line: string, at: number, around: Surroundings): Promise<{ value: string; end: number }> {
  const rest = line.slice(at + 1);
  if (rest.startsWith("(")) {
    const end = closing(rest);
    const printed = await around.output(rest.slice(1, end));
    return { value: printed.trimEnd(), end: at + 1 + end };
  }
  const named = /^(?:\{(\w+)\}|(\w+|\?))/.exec(rest);
  if (named === null) return { value: "$", end: at };
  return { value: around.variable(named[1] ?? named[2] ?? ""), end: at + named[0].length };
}

function closing(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`a bracket is left open in: ${text}`);
}
