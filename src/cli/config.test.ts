import { describe, expect, it } from "vitest";
import { CLIENT_SETTINGS, HOST_SETTINGS, readConfig, type ConfigFlags } from "./config.ts";
import { Refusal } from "./refusal.ts";

function read(flags: ConfigFlags, env: Record<string, string> = {}) {
  let err = "";
  const screen = {
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write: (text: string) => void (err += text),
  };
  try {
    return {
      config: readConfig({ env, err: screen, cwd: "/there" }, flags, [...CLIENT_SETTINGS, ...HOST_SETTINGS]),
      written: "",
    };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { config: null, written: `${err}sluice: ${thrown.message}\n` };
  }
}

describe("the settings", () => {
  it("have defaults", () => {
    expect(read({}).config).toEqual({
      logLevel: "info",
      data: "/there/.sluice",
      port: 7717,
      host: "127.0.0.1",
      isUrlGiven: false,
    });
  });

  it("come from the environment, and flags win", () => {
    const env = { SLUICE_URL: "http://a/", SLUICE_PORT: "1", SLUICE_DATA: "/d", DATABASE_URL: "postgres://a/b" };
    expect(read({}, env).config).toMatchObject({
      url: "http://a",
      port: 1,
      data: "/d",
      databaseUrl: "postgres://a/b",
      isUrlGiven: false,
    });
    expect(read({ url: "https://b", port: "0", data: "x" }, env).config).toMatchObject({
      url: "https://b",
      port: 0,
      data: "/there/x",
      isUrlGiven: true,
    });
  });

  it("are not set when they are empty", () => {
    const empty = { SLUICE_URL: "", SLUICE_KEY: "", SLUICE_PORT: "", SLUICE_DATA: "", DATABASE_URL: "" };
    expect(read({ key: "" }, empty).config).toEqual(read({}).config);
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(read({}).config)).toBe(true);
  });

  it("are all complained about at once, without the secrets", () => {
    const { written } = read(
      { host: "a b", publicUrl: "ftp://x" },
      { SLUICE_KEY: "hunter 2", SLUICE_PORT: "65536", SLUICE_URL: "nowhere", DATABASE_URL: "mysql://u:hunter3@h/d" },
    );
    expect(written.trimEnd().split("\n")).toEqual([
      "sluice: SLUICE_URL must be an http or https URL",
      "sluice: SLUICE_KEY must be a key without spaces",
      'sluice: SLUICE_KEY must be "slk_" and 8 to 252 letters, digits, _ or -',
      "sluice: DATABASE_URL must be a postgres:// URL",
      "sluice: SLUICE_PORT must be a port from 0 to 65535",
      "sluice: --host must be a host name or an address",
      "sluice: --public-url must be an http or https URL",
    ]);
  });

  it.each([
    ["0", 0],
    ["45", 45],
    ["999999", 999_999],
  ])("take %j runs a minute, from the flag or the environment", (startRate, count) => {
    expect(read({ startRate }).config?.startRate).toBe(count);
    expect(read({}, { SLUICE_START_RATE: startRate }).config?.startRate).toBe(count);
  });

  it.each(["-1", "1.5", "x", "1000000", "unlimited"])("take no start rate %j", (startRate) => {
    expect(read({ startRate }).written).toBe(
      "sluice: --start-rate must be a whole number of runs a minute from 0 to 999999\n",
    );
  });

  it.each(["-1", "1.5", "x", "65536", "100000", " 1"])("take no port %j", (port) => {
    expect(read({ port }).written).toBe("sluice: --port must be a port from 0 to 65535\n");
  });

  it.each([`slk_${"a".repeat(7)}`, `slk_${"a".repeat(253)}`, `slx_${"a".repeat(20)}`, `slk_${"a".repeat(20)} `])(
    "take no key %j for a server",
    (adminKey) => {
      expect(read({ adminKey }).config).toBeNull();
    },
  );

  it.each([`slk_${"a".repeat(8)}`, `slk_${"a".repeat(252)}`])("take the key %j", (adminKey) => {
    expect(read({ adminKey }).config).toMatchObject({ adminKey });
  });
});
