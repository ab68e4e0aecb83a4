import { utf8Length } from "./digest.ts";
import { getOwn, isJsonArray, isJsonObject, type Json } from "./json.ts";
import { LIMITS } from "./limits.ts";

/** A file as a value: its name and type here, and the hash of its content. The content is stored by its hash. */
export interface FileValue {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** SHA-256 of the content, in lower-case hexadecimal. */
  readonly sha256: string;
}

export const FILE_KEYS = ["name", "mime", "size", "sha256"] as const;

export const FILE_PROBLEM_CODES = ["bad_file_name", "bad_mime", "empty_file", "file_too_large", "bad_hash"] as const;
export type FileProblemCode = (typeof FILE_PROBLEM_CODES)[number];

export interface FileProblem {
  readonly code: FileProblemCode;
  readonly field: keyof FileValue;
  /** A predicate about the field, such as "must be …, but it is …". */
  readonly message: string;
}

const HASH = /^[0-9a-f]{64}$/;
/** `type/subtype`, with parameters such as `; charset=utf-8`. */
const TOKEN = "[A-Za-z0-9!#$&^_.+-]{1,100}";
const MIME = new RegExp(`^${TOKEN}/${TOKEN}(?:; ?${TOKEN}=(?:${TOKEN}|"[^"\\\\\\p{Cc}]{0,100}"))*$`, "u");
const MIME_LENGTH_MAX = 200;
/** Marks that change the direction of text. They can make a name look like another one. */
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

export function isFileHash(text: string): boolean {
  return HASH.test(text);
}

/** Returns why a text cannot be a file name, or null. A name is never a path and never looks like something else on a screen. */
export function fileNameProblem(name: string): FileProblem | null {
  const wrong = wrongInName(name);
  return wrong === null ? null : { code: "bad_file_name", field: "name", message: wrong };
}

function wrongInName(name: string): string | null {
  if (name === "") return "must not be empty";
  const bytes = utf8Length(name);
  if (bytes > LIMITS.fileNameBytesMax) {
    return `must have at most ${LIMITS.fileNameBytesMax} bytes in UTF-8, but it has ${bytes}`;
  }
  if (/[/\\]/.test(name)) return "must be a name without a path: it holds / or \\";
  if (name === "." || name === "..") return `must be a name, not "${name}"`;
  if (/\p{Cc}/u.test(name)) return "must hold no control characters";
  if (/\p{Surrogate}/u.test(name)) return "must be valid text: it holds half a surrogate pair";
  if (TURNING.test(name)) return "must hold no marks that turn the direction of text";
  return name.trim() === name ? null : "must not begin or end with a space";
}

export function fileMimeProblem(mime: string): FileProblem | null {
  if (mime.length <= MIME_LENGTH_MAX && MIME.test(mime)) return null;
  return { code: "bad_mime", field: "mime", message: "must be a media type such as application/pdf" };
}

export function fileSizeProblem(size: number): FileProblem | null {
  if (size === 0)
    return { code: "empty_file", field: "size", message: "must be at least 1 byte, but the file is empty" };
  if (size <= LIMITS.fileBytesMax) return null;
  const message = `must be at most ${LIMITS.fileBytesMax} bytes, but it is ${size}`;
  return { code: "file_too_large", field: "size", message };
}

/** Returns why a value is not a file, or null when it is one. */
export function fileValueProblem(value: Json): string | null {
  if (!isJsonObject(value)) return `must be a file ({${FILE_KEYS.join(", ")}})`;
  const strange = Object.keys(value).find((key) => !FILE_KEYS.some((known) => known === key));
  if (strange !== undefined) return `must be a file: it has ${FILE_KEYS.join(", ")}, and no ${JSON.stringify(strange)}`;
  const [name, mime, size, sha256] = FILE_KEYS.map((key) => getOwn(value, key));
  if (typeof name !== "string" || typeof mime !== "string" || typeof sha256 !== "string") {
    return "must be a file: name, mime and sha256 are texts";
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    return "must be a file: size is a whole number of bytes";
  }
  if (!isFileHash(sha256)) return "must be a file: sha256 is 64 hexadecimal digits in lower case";
  const problem = fileNameProblem(name) ?? fileMimeProblem(mime) ?? fileSizeProblem(size);
  return problem === null ? null : `must be a file: its ${problem.field} ${problem.message}`;
}

export function isFileValue(value: Json | undefined): value is Json & FileValue {
  return isJsonObject(value) && Object.hasOwn(value, "sha256") && fileValueProblem(value) === null;
}

/** Returns the files among named values: values that are files, and files in values that are lists. */
export function filesIn(values: Readonly<Record<string, Json>>): readonly (readonly [string, FileValue])[] {
  const found: (readonly [string, FileValue])[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (isFileValue(value)) found.push([name, value]);
    else if (Array.isArray(value)) for (const one of value as Json[]) if (isFileValue(one)) found.push([name, one]);
  }
  return found;
}

/** Returns all files inside a value at any depth. The output of a step may contain files of other steps. */
export function filesWithin(value: Json): readonly FileValue[] {
  const found: FileValue[] = [];
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isFileValue(next)) found.push(next);
    else if (isJsonArray(next)) for (const one of next) open.push(one);
    else if (isJsonObject(next)) for (const one of Object.values(next)) open.push(one);
  }
  return found;
}

/** Returns the number of parts in which a file of this size is uploaded and stored. */
export function filePartCount(size: number): number {
  return Math.max(1, Math.ceil(size / LIMITS.filePartBytes));
}

/** Returns the size of a part in bytes. Parts are counted from 1. Undefined when the part does not exist. */
export function filePartSize(size: number, part: number): number | undefined {
  const count = filePartCount(size);
  if (!Number.isInteger(part) || part < 1 || part > count) return undefined;
  return part < count ? LIMITS.filePartBytes : size - (count - 1) * LIMITS.filePartBytes;
}
