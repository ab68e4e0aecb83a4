import type { Block, Page } from "./page.ts";
import { runScript } from "./script.ts";
import { Shell } from "./shell.ts";

/** A command of a page, with the output the page shows and the real one. */
export interface Exchange {
  readonly block: Block;
  readonly command: string;
  readonly shown: string;
  readonly printed: string;
}

interface Typed {
  readonly command: string;
  readonly shown: string;
}

/** `$ command`, then its output; a line that ends in `\` continues, and `^C` stops the server. */
export function commandsIn(text: string): readonly Typed[] {
  const found: { command: string; shown: string[] }[] = [];
  let isOpen = false;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const last = found.at(-1);
    if (isOpen && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) found.push({ command: line.slice(2), shown: [] });
    else if (line === "^C") found.push({ command: "^C", shown: [] });
    else if (last === undefined) throw new Error(`a transcript begins with "$ ": ${line}`);
    else last.shown.push(line);
    isOpen = found.at(-1)?.command.endsWith("\\") ?? false;
  }
  return found.map(({ command, shown }) => ({ command, shown: shown.join("\n") }));
}

/** What stands in the place of a command when a page shows a program; the block after it is what it prints. */
export const SCRIPT = "(script)";

/** Executes a page from top to bottom in one folder: writes its files and types its commands. */
export async function perform(page: Page, onExchange: (exchange: Exchange) => void): Promise<void> {
  // A page that stops its server shows that everything is kept.
  const shell = new Shell({ isQuick: !/^\^C$/m.test(page.text) });
  try {
    for (const [at, block] of page.blocks.entries()) {
      const file = block.words.get("file");
      if (file !== undefined) shell.write(file, block.text);
      if (block.language === "js" && block.words.has("run")) {
        const printed = await runScript(block.text, shell.environment);
        onExchange({ block, command: SCRIPT, shown: page.blocks[at + 1]?.text ?? "", printed });
      }
      if (block.language !== "console") continue;
      for (const { command, shown } of commandsIn(block.text)) {
        const line = command.replaceAll("\\\n", " ");
        const printed = line === "^C" ? await shell.interrupt() : await shell.type(line);
        onExchange({ block, command, shown, printed: printed.trimEnd() });
      }
    }
  } finally {
    await shell.close();
  }
}

export function isPerformed({ blocks }: Page): boolean {
  return blocks.some(({ language }) => language === "console");
}

/** Whether the real output is the one shown: `…` stands for any text in a line, alone on a line for any lines. */
export function isAsShown(printed: string, shown: string): boolean {
  const isJson = /^[[{]/.test(printed) && /^[[{]/.test(shown);
  return isJson ? holds(JSON.parse(printed), JSON.parse(shown)) : patternOf(shown).test(`${tidy(printed)}\n`);
}

function tidy(text: string): string {
  return text.replaceAll(/[^\S\n]+$/gm, "").trim();
}

function patternOf(shown: string): RegExp {
  const lines = tidy(shown)
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:[^\\n]*\\n)*?" : `${escaped(line)}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

/** However long it took, written as people read it. */
const DURATION = "[\\d.]+ (?:ms|s|min|h)(?: \\d+ \\w+)?";

function escaped(line: string): string {
  return line
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replaceAll("… ms", DURATION)
    .replaceAll("…", "[^\\n]*?")
    .replaceAll(/ {2,}/g, " +");
}

/** What is shown of an answer is in it; `…` in a text stands for anything, and alone for any value. */
function holds(printed: unknown, shown: unknown): boolean {
  if (shown === "…") return true;
  if (typeof shown === "string") return typeof printed === "string" && patternOf(shown).test(`${tidy(printed)}\n`);
  if (Array.isArray(shown)) {
    return (
      Array.isArray(printed) && shown.length === printed.length && shown.every((one, at) => holds(printed[at], one))
    );
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof printed !== "object" || printed === null) return false;
    const whole = new Map(Object.entries(printed));
    return Object.entries(shown).every(([key, value]) => whole.has(key) && holds(whole.get(key), value));
  }
  return printed === shown;
}
