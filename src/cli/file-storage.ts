import { isAbsolute, join, resolve } from "node:path";
import { createFolderObjects, createS3Objects, type ObjectStore, type S3Options } from "../files/index.ts";
import { ArchivePlaces } from "../history/index.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

const VARIABLES = {
  url: "SLUICE_FILES_S3_URL",
  bucket: "SLUICE_FILES_S3_BUCKET",
  region: "SLUICE_FILES_S3_REGION",
  accessKeyId: "SLUICE_FILES_S3_ACCESS_KEY_ID",
  secretAccessKey: "SLUICE_FILES_S3_SECRET_ACCESS_KEY",
} as const satisfies Readonly<Record<keyof S3Options, string>>;

const DEFAULT_REGION = "us-east-1";
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Opens the storage of file content: an S3 bucket if one is set, else the named folder, else one in the data directory. */
export function openFileStorage(io: Pick<Io, "env" | "cwd">, config: Pick<Config, "data" | "files">): ObjectStore {
  const s3 = readS3(io.env);
  if (s3 !== null && config.files !== undefined) {
    throw new Refusal(`files are kept in one place: leave out --files (SLUICE_FILES), or ${VARIABLES.url}`);
  }
  if (s3 !== null) return createS3Objects(s3);
  const folder = config.files ?? join(config.data, "files");
  return createFolderObjects(isAbsolute(folder) ? folder : resolve(io.cwd, folder));
}

/** Returns the places to which a retention may archive runs: folders, and the bucket of files if there is one. */
export function openArchivePlaces(
  io: Pick<Io, "env" | "cwd">,
  config: Pick<Config, "data" | "archives">,
  objects: ObjectStore,
  isAnywhere: boolean,
): ArchivePlaces {
  const root = resolve(io.cwd, config.archives ?? join(config.data, "archives"));
  return new ArchivePlaces({ root, isAnywhere, bucket: readS3(io.env) === null ? null : objects });
}

function readS3(env: Io["env"]): S3Options | null {
  const of = (name: keyof typeof VARIABLES): string => env[VARIABLES[name]] ?? "";
  const set = Object.values(VARIABLES).filter((variable) => (env[variable] ?? "") !== "");
  if (set.length === 0) return null;
  const missing = Object.entries(VARIABLES).filter(
    ([name, variable]) => name !== "region" && (env[variable] ?? "") === "",
  );
  if (missing.length > 0) {
    throw new Refusal(`${set.join(", ")} is set: ${missing.map(([, variable]) => variable).join(", ")} is needed too`);
  }
  const url = of("url");
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).username === "";
  if (!isUrl) throw new Refusal(`${VARIABLES.url} must be an http or https URL without a user name`);
  if (!BUCKET.test(of("bucket"))) throw new Refusal(`${VARIABLES.bucket} must be the name of a bucket`);
  const { accessKeyId, secretAccessKey } = { accessKeyId: of("accessKeyId"), secretAccessKey: of("secretAccessKey") };
  return { url, bucket: of("bucket"), region: of("region") || DEFAULT_REGION, accessKeyId, secretAccessKey };
}
