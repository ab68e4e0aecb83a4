/** Pattern of the name of a registered secret, and of an environment variable. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const PREFIX = "secret://";
const REFERENCES = /secret:\/\/([A-Za-z_][A-Za-z0-9_-]{0,63})/g;

/** Checks whether the text is meant as a secret reference. It may still be malformed. */
export function isSecretReference(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Returns the name in `secret://NAME`, or null for any other text. */
export function secretNameOf(text: string): string | null {
  const name = isSecretReference(text) ? text.slice(PREFIX.length) : "";
  return SECRET_NAME.test(name) ? name : null;
}

/** Returns the names of all secrets in a text, in order. */
export function secretNamesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCES)].map(([, name = ""]) => name);
}

/** Replaces the references in a text by values. */
export function fillSecrets(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(REFERENCES, (_, name: string) => valueOf(name));
}
