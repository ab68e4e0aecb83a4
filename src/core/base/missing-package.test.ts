import { describe, expect, it } from "vitest";
import { MissingPackage, missingPackage, explainMissingPackage } from "./missing-package.ts";

const notFound = (name: string, code: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /somewhere`), { code });

describe("a package that is not installed", () => {
  it.each(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])("is named, with how to install it (%s)", (code) => {
    const error = missingPackage(notFound("ai", code), "ai");
    expect(error).toBeInstanceOf(MissingPackage);
    expect(String(error)).toContain("npm install ai");
    expect(() => explainMissingPackage("ai")(notFound("ai", code))).toThrow(MissingPackage);
  });

  it("is not blamed for a package that it lacks itself, nor for any other error", () => {
    const other = notFound("zod", "ERR_MODULE_NOT_FOUND");
    expect(missingPackage(other, "ai")).toBe(other);
    const broken = new Error("'ai' is broken");
    expect(missingPackage(broken, "ai")).toBe(broken);
    expect(missingPackage("text", "ai")).toBe("text");
  });
});
