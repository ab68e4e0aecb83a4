/** A kind of secret that is recognised by its form. */
export interface SecretShape {
  readonly category: "api_key" | "access_token" | "private_key" | "bank_card";
  readonly name: string;
}

interface Look extends SecretShape {
  /**
   * Matches only when no character of its own kind precedes it, so that every part of a text is scanned once. Without that, a
   * text of repeated beginnings would take quadratic time.
   */
  readonly pattern: RegExp;
  readonly isReal?: (found: string) => boolean;
  /** The text to hide when `pattern` matches only the beginning of the secret. */
  readonly whole?: RegExp;
}

const LOOKS: readonly Look[] = [
  {
    category: "private_key",
    name: "a private key",
    pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
    whole:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END ))*(?:-----END [A-Z0-9 ]{1,80}-----)?/g,
  },
  {
    category: "api_key",
    name: "a model provider's API key",
    pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,200}/g,
    // Names in style sheets and addresses also begin like this, but are all lower case.
    isReal: (found) => /[0-9]/.test(found) && /[A-Z]/.test(found),
  },
  {
    category: "api_key",
    name: "a Google API key",
    pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
  },
  {
    category: "api_key",
    name: "an AWS access key",
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
  },
  { category: "api_key", name: "a Stripe key", pattern: /(?<![A-Za-z0-9_])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { category: "api_key", name: "a Sluice key", pattern: /(?<![A-Za-z0-9_-])slk_[A-Za-z0-9_-]{32,252}/g },
  { category: "access_token", name: "a GitHub token", pattern: /(?<![A-Za-z0-9_])gh[opsru]_[A-Za-z0-9]{36,}/g },
  { category: "access_token", name: "a GitHub token", pattern: /(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{22,}/g },
  { category: "access_token", name: "a GitLab token", pattern: /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,}/g },
  { category: "access_token", name: "a Slack token", pattern: /(?<![A-Za-z0-9_-])xox[abeprs]-[A-Za-z0-9-]{10,}/g },
  { category: "access_token", name: "an npm token", pattern: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36,}/g },
  { category: "access_token", name: "a Hugging Face token", pattern: /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/g },
  {
    category: "access_token",
    name: "a SendGrid key",
    pattern: /(?<![A-Za-z0-9_.-])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g,
  },
  {
    category: "access_token",
    name: "a signed token (JWT)",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  },
];

const PLACEHOLDER = /^(?:pass(?:word|wd)?|pwd|secret|token|x+|\*+|\.+|…|<.*>|\[.*\]|your.*|example.*|changeme)$/i;

function isMixed(value: string): boolean {
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value);
}

/** Patterns that give access when written in a definition. In the answer of a model they may be examples. */
const CREDENTIALS: readonly Look[] = [
  ...LOOKS,
  {
    category: "access_token",
    name: "a bearer token",
    pattern: /(?<![A-Za-z0-9_-])[Bb]earer +[A-Za-z0-9_\-.=+/]{20,}/g,
    isReal: (found) => isMixed(found.slice("bearer".length)),
  },
  {
    category: "api_key",
    name: "a model provider's API key",
    pattern: /(?<![A-Za-z0-9_-])sk-(?:[a-z0-9]{1,16}-){0,3}[A-Za-z0-9]{16,200}/g,
    isReal: (found) => /[0-9]/.test(found),
  },
  {
    category: "access_token",
    name: "a password",
    pattern:
      /(?<![A-Za-z0-9_])(?:password|passwd|api[_-]?key|secret[_-]?key|access[_-]?token|client[_-]?secret)["']?\s{0,4}[:=]\s{0,4}["']?[A-Za-z0-9_\-.+/=!@#%^&*]{8,200}/gi,
    isReal: (found) => isMixed(found.replace(/^[a-z_-]+["']?\s*[:=]\s*["']?/i, "")),
  },
  {
    category: "access_token",
    name: "a password in an address",
    pattern: /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/?#$]{0,100}:[^\s:@/?#$]{3,200}@/g,
    isReal: (found) => !PLACEHOLDER.test(found.slice(found.lastIndexOf(":") + 1, -1)),
  },
];

const BANK_CARD: SecretShape = { category: "bank_card", name: "a bank card number" };

/** Length of the shortest of these secrets, a card number. */
const SECRET_LENGTH_MIN = 13;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Returns the kind of the first secret in the text, without any part of the secret itself. */
export function findSecret(text: string): SecretShape | null {
  if (text.length < SECRET_LENGTH_MIN) return null;
  const found = findPlain(text);
  if (found !== null) return found;
  const seen = text.replace(UNSEEN, "");
  return seen.length === text.length ? null : findPlain(seen);
}

function findPlain(text: string): SecretShape | null {
  for (const look of LOOKS) if (hasLook(look, text)) return { category: look.category, name: look.name };
  return hasBankCard(text) ? BANK_CARD : null;
}

function hasLook(look: Look, text: string): boolean {
  return placeOf(look, text) !== undefined;
}

function placeOf({ pattern, isReal }: Look, text: string): number | undefined {
  for (const match of text.matchAll(pattern)) if (isReal?.(match[0]) ?? true) return match.index;
  return undefined;
}

/** Every credential contains one of these. Most texts contain none, so a single test excludes them. */
const SIGNS =
  /-----BEGIN|[rs]k[-_]|AIza|AKIA|ASIA|slk_|gh[opsru]_|github_pat_|glpat-|xox|npm_|hf_|SG\.|eyJ|bearer|:\/\/|passw|api[_-]?key|secret|token/i;

/** Returns the name and position of the first text that looks like a credential. */
export function findCredential(text: string): { readonly name: string; readonly position: number } | null {
  if (text.length < SECRET_LENGTH_MIN || !SIGNS.test(text)) return null;
  for (const look of CREDENTIALS) {
    const position = placeOf(look, text);
    if (position !== undefined) return { name: look.name, position };
  }
  return null;
}

/** Returns the text with everything that looks like a credential replaced. */
export function hideCredentials(text: string): string {
  if (text.length < SECRET_LENGTH_MIN || !SIGNS.test(text)) return text;
  let shown = text;
  for (const { name, pattern, whole = pattern, isReal } of CREDENTIALS) {
    shown = shown.replace(whole, (found) => ((isReal?.(found) ?? true) ? `[hidden: ${name}]` : found));
  }
  return shown;
}

/** Standalone digits, without separators or in the usual groups. */
const CARD_RUN =
  /(?<![\p{L}\p{N}_]|\d\.)[2-6]\d{3}(?:\d{9,15}|([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|([ -])\d{6}\2\d{4,5})(?![\p{L}\p{N}_])/gu;

/** Prefixes and lengths of the numbers of each issuer. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^(?:6011|65\d{2}|64[4-9]\d)\d{12}$/,
  /^35(?:2[89]|[3-8]\d)\d{12}$/,
  /^62\d{14,17}$/,
];

function hasBankCard(text: string): boolean {
  for (const [found] of text.matchAll(CARD_RUN)) {
    const digits = found.replaceAll(/[ -]/g, "");
    if (ISSUERS.some((issuer) => issuer.test(digits)) && passesLuhn(digits)) return true;
  }
  return false;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
