import type { KeyRequest } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { oneLine, printable } from "./terminal-text.ts";

export async function listKeys(io: Io, api: Api, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.listKeys(pageOf(options)), options, {
    none: "there are no keys",
    head: ["KEY", "LABEL", "CREATED", "MADE BY", "EXPIRES", "REVOKED", "PERMISSIONS"],
    row: (key) => [
      key.id,
      oneLine(key.label),
      formatWhen(key.createdAt, now),
      oneLine(key.createdBy ?? "–"),
      formatWhen(key.expiresAt, now),
      formatWhen(key.revokedAt, now),
      key.permissions.join(" "),
    ],
  });
  return EXIT.fine;
}

export interface CreateKeyOptions {
  readonly label: string;
  readonly role?: KeyRequest["role"];
  readonly permission?: readonly string[];
  readonly agent?: string;
  readonly expires?: string;
  readonly json?: boolean;
}

/** Creates a key. The secret is printed to standard output and never shown again. */
export async function createKey(io: Io, api: Api, options: CreateKeyOptions): Promise<number> {
  const { label, role, permission, agent, expires } = options;
  if ((role === undefined) === (permission === undefined)) {
    throw new Refusal("state what the key may do: either --role ROLE, or --permission NAME as often as needed");
  }
  const created = await api.createKey({
    label,
    ...(role === undefined ? {} : { role }),
    ...(permission === undefined ? {} : { permissions: permission }),
    ...(agent === undefined ? {} : { agent }),
    ...(expires === undefined ? {} : { expiresAt: expiryOf(expires, io.clock.now()) }),
  });
  if (options.json === true) {
    printJson(io, created);
    return EXIT.fine;
  }
  io.err.write(`${created.id} (${oneLine(label)}); the key is shown only this once:\n`);
  io.out.write(`${created.key}\n`);
  return EXIT.fine;
}

export async function revokeKey(io: Io, api: Api, id: string, options: { readonly quiet?: boolean }): Promise<number> {
  await api.revokeKey(id);
  if (options.quiet !== true) io.err.write(`${printable(id)} is revoked\n`);
  return EXIT.fine;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})([mhd])$/;

/** Reads an expiry: `30d`, `12h` or `90m` from now, or a moment as ISO 8601. */
function expiryOf(text: string, now: number): string {
  const [, count = "", unit = ""] = DURATION.exec(text) ?? [];
  const at = count === "" ? Date.parse(text) : now + Number(count) * (UNITS[unit] ?? NaN);
  if (!Number.isFinite(at) || at <= now) {
    throw new Refusal(
      `--expires ${printable(text)}: write 90m, 12h, 30d, or a moment to come such as 2030-01-31T00:00:00Z`,
    );
  }
  return new Date(at).toISOString();
}
