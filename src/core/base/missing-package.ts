/** A package that an installation may leave out is not there, and is needed now. */
export class MissingPackage extends Error {
  override readonly name = "MissingPackage";

  constructor(name: string, cause: unknown) {
    super(`the package ${name} is not installed here; install it with: npm install ${name}`, { cause });
  }
}

const CODES: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/** The error of a failed import: when this very package was not found, one that names it and helps. */
export function missingPackage(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || !CODES.has(error.code)) return error;
  return error.message.includes(`'${name}'`) ? new MissingPackage(name, error) : error;
}

/** For `import(name).catch(…)`. */
export function orMissing(name: string): (error: unknown) => never {
  return (error) => {
    throw missingPackage(error, name);
  };
}
