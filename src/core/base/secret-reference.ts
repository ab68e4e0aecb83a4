/** The name of a registered secret; also that of an environment variable. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const PREFIX = "secret://";
const REFERENCES = /secret:\/\/([A-Za-z_][A-Za-z0-9_-]{0,63})/g;

/** Is the text meant to stand for a secret, well written or not? */
export function isSecretReference(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The name in `secret://NAME`; null: the text is something else. */
export function secretNameOf(text: string): string | null {
  const name = isSecretReference(text) ? text.slice(PREFIX.length) : "";
  return SECRET_NAME.test(name) ? name : null;
}

/** The names of all secrets a text refers to, in their order. */
export function secretNamesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCES)].map(([, name = ""]) => name);
}

/** The text with values in the place of references. */
export function fillSecrets(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(REFERENCES, (_, name: string) => valueOf(name));
}
