/** Seals a text for the place it is kept at, and opens it there; undefined when it was sealed otherwise. */
export interface Box {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string | undefined;
}

type Secrets = Readonly<Record<string, string>>;

/** Secrets of an entry as they are kept. */
export function sealSecrets(box: Box, place: string, secrets: Secrets): Secrets {
  return mapped(secrets, (name, value) => box.seal(value, `${place}/${name}`));
}

/** The same as they were given; what cannot be opened any more is left out. */
export function openSecrets(box: Box, place: string, kept: Secrets): Secrets {
  return mapped(kept, (name, value) => box.open(value, `${place}/${name}`));
}

export function secretPlace(orgId: string, kind: string, id: string): string {
  return `${orgId}/${kind}/${id}`;
}

function mapped(secrets: Secrets, change: (name: string, value: string) => string | undefined): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => {
      const changed = change(name, value);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
