import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import {
  fail,
  getOwn,
  isJsonObject,
  type JsonObject,
  type Outcome,
  secretNameOf,
  succeed,
} from "../core/base/index.ts";
import {
  type EntryUse,
  isInScope,
  type RegisteredSecret,
  SECRET_VALUE,
  secretOf,
  type SecretOrigin,
  type SecretUse,
  useText,
} from "../registry/index.ts";
import { openSecrets, type SecretBox, secretPlace } from "../seal/index.ts";
import type { RegistryStore, SecretStore } from "../store/index.ts";
import { refusalLine, type SecretRefusal, unknownSecret } from "./refusal.ts";
import type { SecretSources } from "./source/secret-source.ts";

export interface SecretsOptions {
  readonly store: Pick<RegistryStore, "getEntry" | "entrySecrets"> & SecretStore;
  readonly box: SecretBox;
  /** Whether SLUICE_SECRET_KEY is set. */
  readonly isKeyed: boolean;
  readonly sources: SecretSources;
  readonly now: () => number;
}

/** Details the audit records of a use besides the name. */
export interface UseNote {
  readonly actor?: string;
  readonly run?: string;
  readonly node?: string;
}

type OpenedKind = Exclude<EntryUse["by"], "secret">;

/** The secrets of an entry by field: the usable values, and the reason why each of the others is refused. */
export interface OpenedEntry {
  readonly secrets: Readonly<Record<string, string>>;
  readonly refusals: Readonly<Record<string, SecretRefusal>>;
}

const NOTED_MS = 60_000;
const NOTED_MAX = 10_000;
const LOST = "It was sealed with another key; write it again.";

/**
 * The registered secrets, by name. A caller states its use and gets a value only inside the scopes of the secret.
 * Values are read at each use and not cached, so that a new value takes effect at once on every replica.
 */
export class Secrets {
  readonly #options: SecretsOptions;
  /** Time of the last audit record of each use by an entry. */
  readonly #noted = new Map<string, number>();

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /** Returns the value of a secret. The use is recorded in the audit first; if that fails, the value is not returned. */
  async use(orgId: string, name: string, use: SecretUse, note: UseNote = {}): Promise<Outcome<string, SecretRefusal>> {
    const [found] = await this.useAll(orgId, [{ name, use }], note);
    return found ?? fail(unknownSecret(name));
  }

  /** Returns several values, in the given order. */
  async useAll(
    orgId: string,
    wanted: readonly { readonly name: string; readonly use: SecretUse }[],
    note: UseNote = {},
  ): Promise<readonly Outcome<string, SecretRefusal>[]> {
    const found: Found[] = [];
    for (const { name, use } of wanted) found.push({ name, use, result: await this.#resolve(orgId, name, use) });
    await this.#note(orgId, found, note);
    return found.map(({ result }) => (result.ok ? succeed(result.value.value) : result));
  }

  /**
   * Returns the write-only values of an entry, with references replaced by the registered secrets. Messages from
   * outside reach this before their sender is verified, so the same use is recorded once a minute at most.
   */
  async openEntry(orgId: string, by: OpenedKind, name: string): Promise<OpenedEntry> {
    const { store, box, now } = this.#options;
    const kept = await store.entrySecrets(orgId, by, name);
    const opened = openSecrets(box, secretPlace(orgId, by, name), kept);
    const secrets: Record<string, string> = {};
    const refusals: Record<string, SecretRefusal> = {};
    for (const field of Object.keys(kept)) {
      const text = getOwn(opened, field);
      const wanted = text === undefined ? null : secretNameOf(text);
      if (wanted === null) {
        if (text === undefined) refusals[field] = { code: "secret_unreadable", message: LOST };
        else secrets[field] = text;
        continue;
      }
      const use: SecretUse = { by, name };
      const result = await this.#resolve(orgId, wanted, use);
      if (result.ok) secrets[field] = result.value.value;
      else refusals[field] = result.failure;
      const key = JSON.stringify([orgId, by, name, wanted, result.ok ? result.value.version : result.failure.code]);
      if (this.#isDue(key, now())) await this.#note(orgId, [{ name: wanted, use, result }], {});
    }
    return { secrets, refusals };
  }

  #isDue(key: string, now: number): boolean {
    if (now - (this.#noted.get(key) ?? -Infinity) < NOTED_MS) return false;
    if (this.#noted.size >= NOTED_MAX) this.#noted.clear();
    this.#noted.set(key, now);
    return true;
  }

  async #note(orgId: string, found: readonly Found[], note: UseNote): Promise<void> {
    const at = this.#options.now();
    const names = found.flatMap(({ name, result }) => (result.ok ? [name] : []));
    const audit = found.map((one) => entryOf(one, note, at));
    await this.#options.store.recordSecretUses(orgId, names, at, audit);
  }

  async #resolve(orgId: string, name: string, use: SecretUse): Promise<Outcome<Resolved, SecretRefusal>> {
    const entry = await this.#options.store.getEntry(orgId, "secret", name);
    if (entry === undefined) return fail(unknownSecret(name));
    const secret = secretOf(entry);
    if (!isInScope(secret.scopes, use)) {
      const message = `The secret "${name}" is for ${secret.scopes.join(", ")}, and not for ${useText(use)}.`;
      return fail({ code: "secret_out_of_scope", message });
    }
    const value = secret.from === null ? await this.#sealed(orgId, secret) : await this.#outside(orgId, secret);
    return value.ok ? succeed({ value: value.value, version: secret.version }) : value;
  }

  async #sealed(orgId: string, { name }: RegisteredSecret): Promise<Outcome<string, SecretRefusal>> {
    const { store, box, isKeyed } = this.#options;
    const kept = await store.entrySecrets(orgId, "secret", name);
    const { [SECRET_VALUE]: value = "" } = openSecrets(box, secretPlace(orgId, "secret", name), kept);
    if (value !== "") return succeed(value);
    if (!isKeyed) {
      const message = `The secret "${name}" cannot be opened: the server was started without SLUICE_SECRET_KEY.`;
      return fail({ code: "secret_key_missing", message });
    }
    const message =
      `The secret "${name}" was sealed with another key: start the server with that one in SLUICE_SECRET_KEY_OLD, ` +
      "or set the secret again.";
    return fail({ code: "secret_unreadable", message });
  }

  async #outside(orgId: string, { name, from }: RegisteredSecret): Promise<Outcome<string, SecretRefusal>> {
    const read = await this.#read(from ?? {}, (reference) => this.#forSource(orgId, reference, name));
    if (read.ok && read.value !== "") return read;
    const reason = read.ok ? "What is kept there is empty." : read.failure;
    return fail({ code: "secret_source_unavailable", message: `The secret "${name}" cannot be read. ${reason}` });
  }

  async #read(
    { env, file, vault }: SecretOrigin,
    valueOf: (reference: string) => Promise<Outcome<string, string>>,
  ): Promise<Outcome<string, string>> {
    const { sources } = this.#options;
    if (env !== undefined) return sources.env.read(env, { valueOf });
    if (file !== undefined) return sources.file.read(file, { valueOf });
    return vault === undefined ? fail("It names no place.") : sources.vault.read(vault, { valueOf });
  }

  /** Returns the secret needed to read another one. A secret that is itself in Vault is refused: there might be a cycle. */
  async #forSource(orgId: string, reference: string, of: string): Promise<Outcome<string, string>> {
    const name = secretNameOf(reference) ?? "";
    const entry = await this.#options.store.getEntry(orgId, "secret", name);
    const from = entry?.body["from"] ?? null;
    if (isJsonObject(from) && Object.hasOwn(from, "vault")) {
      return fail(`The token of "${of}", the secret "${name}", is kept in Vault itself.`);
    }
    const found = await this.use(orgId, name, { by: "secret", name: of });
    return found.ok ? found : fail(refusalLine(found.failure));
  }
}

interface Found {
  readonly name: string;
  readonly use: SecretUse;
  readonly result: Outcome<Resolved, SecretRefusal>;
}

interface Resolved {
  readonly value: string;
  readonly version: number;
}

function entryOf({ name, use, result }: Found, { actor = ENGINE_ACTOR, run, node }: UseNote, at: number): AuditEntry {
  const detail: JsonObject = {
    for: useText(use),
    ...(result.ok ? { version: result.value.version } : { code: result.failure.code }),
  };
  return auditEntry({
    at,
    type: result.ok ? "secret.used" : "secret.refused",
    actor,
    resource: `secret/${name}`,
    ...(run === undefined ? {} : { run }),
    ...(node === undefined ? {} : { node }),
    detail,
  });
}
