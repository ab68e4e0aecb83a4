import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../test/docs/page.ts";
import { type Exchange, isAsShown, perform, SCRIPT } from "../test/docs/transcript.ts";
import { ROOT } from "./generated-docs.ts";

/**
 * `npx tsx scripts/transcripts.ts docs/tutorial.md`: runs the commands of a page and writes the real output beneath each
 * command whose shown output is no longer true. What differs from run to run becomes `…`. Read the result before you keep it.
 */
for (const path of process.argv.slice(2)) {
  let text = readFileSync(join(ROOT, path), "utf8");
  let from = 0;
  const write = ({ command, shown, printed }: Exchange): void => {
    if (command === SCRIPT) return;
    const typed = command === "^C" ? "^C\n" : `$ ${command}\n`;
    const after = text.indexOf(typed, from) + typed.length;
    const isTrue = shown.trim() !== "" && isAsShown(printed, shown);
    const kept = isTrue || printed === "" ? shown : general(printed);
    text = `${text.slice(0, after)}${kept}${kept === "" || shown !== "" ? "" : "\n"}${text.slice(after + shown.length)}`;
    from = after + kept.length;
  };
  try {
    await perform(readPage(path), write);
  } finally {
    writeFileSync(join(ROOT, path), text);
  }
}

function general(printed: string): string {
  return printed
    .replaceAll(/\b(run|apr|key|vrd|msg)_[\w-]{8,}/g, "$1_…")
    .replaceAll(/slk_[\w-]{20,}/g, "slk_…")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b(?! ago)/g, "… ms")
    .replaceAll(/\b[\d.]+ (?:ms|s|min|h)(?: \d+ \w+)? ago/g, "… ago")
    .replaceAll(/\bin \d+ (?:h|min) \d+ (?:min|s)/g, "in …")
    .replaceAll(/\b[0-9a-f]{12,}\b/g, "…")
    .replaceAll(/\b20\d\d-\d\d-\d\d[T ][\d:.]+Z?/g, "…")
    .replaceAll(/ed25519:[\w-]+/g, "ed25519:…")
    .replaceAll(/^20\d\d-\d\d-\d\d /gm, "… ")
    .replaceAll(/ticket=[\w-]+/g, "ticket=…")
    .replaceAll(/[^\S\n]+$/gm, "");
}
