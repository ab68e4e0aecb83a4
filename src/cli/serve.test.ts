import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/index.ts";
import type { Io } from "./io.ts";
import { createLog } from "./log.ts";
import { announce, ensureKey } from "./serve.ts";

const GIVEN = "slk_given_0123456789";
const host = {
  url: "http://127.0.0.1:7717",
  localUrl: "http://127.0.0.1:7717",
  signInUrl: (): string => "http://127.0.0.1:7717/session/once?ticket=t",
  close: (): Promise<void> => Promise.resolve(),
};

/** Both outputs of a start. */
function announced(options: { readonly json?: boolean; readonly key?: string }, made: string | null) {
  let written = "";
  const screen = {
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write: (text: string) => void (written += text),
  };
  const log = createLog({ level: "info", format: "json", write: screen.write, redact: (text) => text });
  announce({ out: screen } as unknown as Io, log, { console: true, ...options }, host, made);
  return written;
}

describe("the key of sluice serve", () => {
  it("is made when there is none at all, and never again", async () => {
    const store = createMemoryStore();
    const made = await ensureKey(store, undefined, 0);
    expect(made).toMatch(/^slk_/);
    expect(await ensureKey(store, undefined, 0)).toBeNull();
    expect(await ensureKey(store, GIVEN, 0)).toBeNull();
    expect(await ensureKey(createMemoryStore(), GIVEN, 0)).toBeNull();
  });

  it("is printed when it is made, and a key that was given is not", () => {
    expect(announced({}, "slk_made")).toContain("the first key, shown only this once: slk_made\n");
    expect(announced({ key: GIVEN }, null)).not.toContain("slk_");
    expect(announced({}, null)).not.toContain("key");
    expect(JSON.parse(announced({ json: true }, "slk_made"))).toMatchObject({ key: "slk_made" });
    expect(JSON.parse(announced({ json: true }, null))).toMatchObject({ key: null, consoleUrl: `${host.url}/` });
    // Only the caller itself reads what stands on its own command line.
    expect(JSON.parse(announced({ json: true, key: GIVEN }, null))).toMatchObject({ key: GIVEN });
  });
});
