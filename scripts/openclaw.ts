/**
 * Tries the adapter `openclaw` with a real gateway. Its agents and their models are used, so that it may cost money:
 *
 *   OPENCLAW_GATEWAY_TOKEN=… npx tsx scripts/openclaw.ts http://127.0.0.1:18789
 */
import { tmpdir } from "node:os";
import { checkAdapter, type AdapterRequest } from "../src/adapter/index.ts";
import { closeAdapters, EMPTY_SCRIPT, openAdapters } from "../src/adapters/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { JsonObject } from "../src/core/base/index.ts";
import { attempt } from "../test/providers/index.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [base_url = "http://127.0.0.1:18789"] = process.argv.slice(2);

async function open(section: JsonObject, env: Readonly<Record<string, string | undefined>>) {
  const [adapter] = await openAdapters({
    names: ["openclaw"],
    sections: { openclaw: { base_url, ...section } },
    env,
    clock: createSystemClock(),
    directory: tmpdir(),
    script: EMPTY_SCRIPT,
    ledger: null,
  });
  if (adapter === undefined) throw new Error("There is no adapter.");
  return adapter;
}

const TRIALS: Readonly<Record<string, readonly [JsonObject, Partial<AdapterRequest>]>> = {
  plain: [{}, { message: "Say hello.", systemPrompt: "Be brief." }],
  "a thread": [{}, { message: "Remember the word heron.", inputs: { sessionId: "sluice-trial" } }],
  "the same thread": [{}, { message: "Which word was it?", inputs: { sessionId: "sluice-trial" } }],
  "an unknown agent": [{ agents: ["unknown"] }, { message: "Say hello.", model: "unknown" }],
  "a wrong token": [{ token_env: "WRONG" }, { message: "Say hello." }],
};
for (const [name, [section, request]] of Object.entries(TRIALS)) {
  const adapter = await open(section, { ...process.env, WRONG: "no-such-token" });
  const health = await adapter.checkHealth();
  const { result, partials } = await attempt(adapter, request);
  print(`${name}: ${JSON.stringify(health)} ${JSON.stringify(result)} pieces ${JSON.stringify(partials)}`);
  await closeAdapters([adapter]);
}
const adapter = await open({}, process.env);
const signal = AbortSignal.timeout(300);
const begun = Date.now();
const { result } = await attempt(adapter, { message: "Count to a thousand." }, { signal });
print(`aborted after 300 ms, back after ${Date.now() - begun} ms: ${JSON.stringify(result)}`);

const report = await checkAdapter(adapter, {
  config: { base_url },
  sample: (canary) => ({ message: `Say ${canary} and nothing else.` }),
  slow: { message: "SLOW: write a long story." },
});
for (const { name, ok, detail } of report.checks) print(`${ok === null ? "–" : ok ? "✓" : "✗"} ${name}: ${detail}`);
await closeAdapters([adapter]);
