import * as adapterDoor from "../../src/adapter/index.ts";
import * as browserDoor from "../../src/browser/index.ts";
import * as clientDoor from "../../src/client/index.ts";
import * as workerDoor from "../../src/worker/index.ts";
import * as testingDoor from "../../src/testing/index.ts";
import * as workflowDoor from "../../src/workflow/index.ts";

/** What programs outside import, by the names they import it by. */
export const DOORS: Readonly<Record<string, object>> = {
  sluice: clientDoor,
  "sluice/adapter": adapterDoor,
  "sluice/browser": browserDoor,
  "sluice/client": clientDoor,
  "sluice/testing": testingDoor,
  "sluice/workflow": workflowDoor,
  "sluice/worker": workerDoor,
};

const IMPORT = /^import \{([^}]+)\} from "(sluice(?:\/\w+)?)";$/gm;

/** Runs a program as a page shows it, and gives what it prints. */
export async function runScript(text: string, env: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = [];
  const log = (...values: readonly unknown[]): number => lines.push(values.map(String).join(" "));
  const body = text.replaceAll(IMPORT, (_, names: string, door: string) => `const {${names}} = doors["${door}"];`);
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
    ...words: string[]
  ) => (...given: readonly unknown[]) => Promise<void>;
  await new AsyncFunction("doors", "process", "console", body)(DOORS, { env }, { log });
  return lines.join("\n");
}
