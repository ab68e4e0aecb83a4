import { z } from "zod";
import { LIMITS } from "../core/base/index.ts";
import { LIMIT_NAMES, NO_ORGANISATION_LIMITS, type OrganisationLimits } from "../core/governance/index.ts";
import { readSource } from "../core/text/index.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

type SourceIo = Pick<Io, "cwd" | "readInput">;
export type LimitsOf = (orgId: string) => OrganisationLimits;

const SETTING = "--limits (SLUICE_LIMITS)";

const limit = z
  .int("must be a whole number")
  .min(1, "must be at least 1, or null for no limit")
  .max(Number.MAX_SAFE_INTEGER)
  .nullable()
  .optional();

const limitsSchema = z.strictObject({
  [LIMIT_NAMES.startsPerMinute]: limit,
  [LIMIT_NAMES.openRuns]: limit,
  [LIMIT_NAMES.nodesPerSecond]: limit,
  [LIMIT_NAMES.storageBytes]: limit,
  [LIMIT_NAMES.streams]: limit,
});

const fileSchema = z.strictObject({
  default: limitsSchema.optional(),
  organisations: z.record(z.string(), limitsSchema).optional(),
});

type Written = z.output<typeof limitsSchema>;

/** Limits of each organisation: its own entry in the file, else the file's default, else flags and built-in defaults. */
export async function readLimits(io: SourceIo, config: Pick<Config, "limits" | "maxOpenRuns">): Promise<LimitsOf> {
  const file = config.limits === undefined ? {} : await readLimitsFile(io, config.limits);
  const usual: OrganisationLimits = {
    ...NO_ORGANISATION_LIMITS,
    openRuns: LIMITS.openRunsMax,
    streams: LIMITS.streamsPerOrganisationMax,
    ...limitsOf(file.default ?? {}),
    ...(config.maxOpenRuns === undefined ? {} : { openRuns: config.maxOpenRuns }),
  };
  const own = new Map(
    Object.entries(file.organisations ?? {}).map(([orgId, written]) => [orgId, { ...usual, ...limitsOf(written) }]),
  );
  return (orgId) => own.get(orgId) ?? usual;
}

async function readLimitsFile(io: SourceIo, name: string): Promise<z.output<typeof fileSchema>> {
  return parseLimits(name, (await readSourceFile(io, name)).bytes);
}

export function parseLimits(name: string, bytes: Uint8Array): z.output<typeof fileSchema> {
  const { tree, problems } = readSource(bytes);
  const [problem] = problems;
  if (problem !== undefined) throw new Refusal(`${SETTING} ${printable(name)}: ${printable(problem.message)}`);
  const read = fileSchema.safeParse(tree?.value ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` ${issue.path.map(String).join(".")}`;
  throw new Refusal(`${SETTING} ${printable(name)}:${printable(where)} ${printable(issue?.message ?? "is not valid")}`);
}

function limitsOf(written: Written): Partial<OrganisationLimits> {
  const names = Object.entries(LIMIT_NAMES) as [keyof OrganisationLimits, keyof Written][];
  return Object.fromEntries(
    names.flatMap(([member, name]) => (written[name] === undefined ? [] : [[member, written[name]]])),
  );
}
