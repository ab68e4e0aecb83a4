import type { SecretBox } from "./secret-box.ts";

type Secrets = Readonly<Record<string, string>>;

/** Seals the secrets of an entry for storage. */
export function sealSecrets(box: SecretBox, place: string, secrets: Secrets): Secrets {
  return mapped(secrets, (name, value) => box.seal(value, `${place}/${name}`));
}

/** Opens the stored secrets of an entry; those that can no longer be opened are left out. */
export function openSecrets(box: SecretBox, place: string, kept: Secrets): Secrets {
  return mapped(kept, (name, value) => box.open(value, `${place}/${name}`));
}

function mapped(secrets: Secrets, change: (name: string, value: string) => string | undefined): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => {
      const changed = change(name, value);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
