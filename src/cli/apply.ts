import { ApiError, type Applied } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { type FiledManifest, placeInFile, readManifests } from "./manifest.ts";
import { Refusal } from "./refusal.ts";
import { createPaint, oneLine, type Paint, printable } from "./terminal-text.ts";

export interface ApplyOptions {
  readonly file?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** True when unchanged resources are not printed. */
  readonly changesOnly?: boolean;
}

/** Applies the files to the server. With `--dry-run`, only prints what would change. */
export async function apply(io: Io, api: Api, names: readonly string[], options: ApplyOptions): Promise<number> {
  const all = [...names, ...(options.file ?? [])];
  if (all.length === 0) throw new Refusal("name what is to be applied: sluice apply FILE");
  const found = await readManifests(io, all);
  const { applied } = await send(io, api, found, options.dryRun === true);
  if (options.json === true) printJson(io, { applied });
  else for (const change of applied) printChange(io, change, options);
  return EXIT.fine;
}

/** Sends the manifests. Problems found by the server are printed with their place in the files. */
async function send(io: Io, api: Api, found: readonly FiledManifest[], dryRun: boolean): Promise<Applied> {
  const documents = found.map(({ manifest: { kind, name, spec } }) => ({ kind, name, spec }));
  try {
    return await api.apply(documents, { dryRun });
  } catch (thrown) {
    const isAboutThem = thrown instanceof ApiError && thrown.status === 422 && thrown.problems.length > 0;
    if (!isAboutThem) throw thrown;
    for (const { code, message, path, hint } of thrown.problems) {
      io.err.write(`${placeInFile(found, path)}${code}: ${printable(message)}\n`);
      if (hint !== undefined) io.err.write(`  hint: ${printable(hint)}\n`);
    }
    throw new Refusal("the server does not take the manifests, nothing was changed");
  }
}

type Change = Applied["applied"][number];

function printChange(io: Io, { kind, name, action, diff }: Change, { dryRun, quiet, changesOnly }: ApplyOptions): void {
  if (changesOnly === true && action === "unchanged") return;
  const paint = createPaint(io.out, io.env);
  const word = dryRun === true && action !== "unchanged" ? `would be ${action}` : action;
  io.out.write(`${oneLine(kind)} ${oneLine(name)} ${paint(action === "unchanged" ? "gray" : "green", word)}\n`);
  const isShown = quiet !== true && diff !== undefined && (dryRun === true || action === "updated");
  if (isShown) io.out.write(paintDiff(printable(diff), paint));
}

function paintDiff(diff: string, paint: Paint): string {
  const colours = { "+": "green", "-": "red", "@": "cyan" } as const;
  return diff
    .split("\n")
    .map((line) => {
      const first = line.charAt(0);
      return first === "+" || first === "-" || first === "@" ? paint(colours[first], line) : line;
    })
    .join("\n");
}
