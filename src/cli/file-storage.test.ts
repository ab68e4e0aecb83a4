import { describe, expect, it } from "vitest";
import { openFileStorage } from "./file-storage.ts";

const S3 = {
  SLUICE_FILES_S3_URL: "http://127.0.0.1:9000",
  SLUICE_FILES_S3_BUCKET: "files",
  SLUICE_FILES_S3_ACCESS_KEY_ID: "a",
  SLUICE_FILES_S3_SECRET_ACCESS_KEY: "the-secret",
};
const open = (env: Readonly<Record<string, string>>, files?: string) =>
  openFileStorage({ env, cwd: "/" }, { data: "/tmp/data", ...(files === undefined ? {} : { files }) });

describe("where files are kept", () => {
  it("is a folder, or a bucket when one is set", () => {
    for (const opened of [open({}), open({}, "files"), open(S3)]) opened.close();
  });

  it.each([
    [{ SLUICE_FILES_S3_URL: S3.SLUICE_FILES_S3_URL }, undefined, /SLUICE_FILES_S3_BUCKET, .* is needed too/],
    [{ ...S3, SLUICE_FILES_S3_URL: "ftp://x" }, undefined, /SLUICE_FILES_S3_URL must be/],
    [{ ...S3, SLUICE_FILES_S3_URL: "http://user:pw@x" }, undefined, /SLUICE_FILES_S3_URL must be/],
    [{ ...S3, SLUICE_FILES_S3_BUCKET: "../x" }, undefined, /SLUICE_FILES_S3_BUCKET must be/],
    [S3, "files", /in one place/],
  ])("refuses %j with --files %s", (env, files, message) => {
    expect(() => open(env, files)).toThrow(message);
    expect(() => open(env, files)).not.toThrow(/the-secret/);
  });
});
