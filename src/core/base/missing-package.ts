/** An optional package that is needed now but is not installed. */
export class MissingPackage extends Error {
  override readonly name = "MissingPackage";

  constructor(name: string, cause: unknown) {
    super(`the package ${name} is not installed here; install it with: npm install ${name}`, { cause });
  }
}

const CODES: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/** Converts the error of a failed import: if this package was not found, returns an error that explains how to install it. */
export function missingPackage(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || !CODES.has(error.code)) return error;
  return error.message.includes(`'${name}'`) ? new MissingPackage(name, error) : error;
}

/** Returns an error handler for `import(name).catch(…)`. */
export function explainMissingPackage(name: string): (error: unknown) => never {
  return (error) => {
    throw missingPackage(error, name);
  };
}
