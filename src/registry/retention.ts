import { z } from "zod";
import type { Entry } from "../store/index.ts";
import { checked, name, readBody, spec, workflowName } from "./field.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const YEARS_MAX = 100;
const PERIOD_MS_MAX = YEARS_MAX * 366 * 86_400_000;
const FOREVER = "forever";

/** Null means for ever; undefined when the text is not a period. */
function periodMsOf(written: string): number | null | undefined {
  if (written === FOREVER) return null;
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)(s|m|h|d)$/.exec(written) ?? [];
  const ms = Math.round(Number(amount) * (UNIT_MS[unit] ?? Number.NaN));
  return ms >= 1 && ms <= PERIOD_MS_MAX ? ms : undefined;
}

const period = checked(
  z.string({ error: "must be a period with its unit" }),
  (written) => periodMsOf(written) !== undefined,
  `must be a period of up to ${YEARS_MAX} years`,
  { code: "bad_duration", hint: `Write it with its unit, such as 90d or 12h, or ${FOREVER}.` },
);

export const retentionSpec = spec({
  workflow: workflowName.nullish().describe("Workflow whose runs the retention applies to. Default: all workflows"),
  runs: period.nullish().describe(`Time that runs are kept after their end: 90d, 12h, ${FOREVER}`),
  verdicts: period.nullish().describe("Time that verdicts are kept after the end of their run"),
  transcripts: period.nullish().describe("Time that messages and logs of attempts are kept after the end of their run"),
  archive: name
    .nullish()
    .describe(
      "Archive to which runs are written before they are deleted: a folder of the server, or s3 for the bucket of files",
    ),
});

/** The periods one manifest sets, in milliseconds; null means for ever. Undefined when a manifest of wider scope decides. */
export interface RetentionRule {
  readonly id: string;
  readonly workflow: string | null;
  readonly runsMs?: number | null;
  readonly verdictsMs?: number | null;
  readonly transcriptsMs?: number | null;
  readonly archive?: string;
}

export function retentionOf({ id, body }: Entry): RetentionRule {
  const { workflow, runs, verdicts, transcripts, archive } = readBody(retentionSpec, body);
  return {
    id,
    workflow: workflow ?? null,
    ...member("runsMs", runs),
    ...member("verdictsMs", verdicts),
    ...member("transcriptsMs", transcripts),
    ...(typeof archive === "string" ? { archive } : {}),
  };
}

function member(key: "runsMs" | "verdictsMs" | "transcriptsMs", written: string | null | undefined): object {
  const ms = typeof written === "string" ? periodMsOf(written) : undefined;
  return ms === undefined ? {} : { [key]: ms };
}
