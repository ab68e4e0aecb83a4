import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Health, HealthReply } from "./wire.ts";

type AdapterReply = HealthReply["adapters"][string];

const ANSWER_MS = 5_000;

/** Queries the health of all adapters in parallel, with a time limit for each. */
export async function askHealth(
  adapters: Iterable<Adapter>,
  clock: Clock,
  instanceId: string,
  isDegraded: boolean,
): Promise<HealthReply> {
  const asked = [...adapters].map(async (adapter) => [adapter.provider, await askOne(adapter, clock)] as const);
  const answers = Object.fromEntries(await Promise.all(asked));
  const statuses = Object.values(answers).map(({ status }) => status);
  return { status: overall(statuses, isDegraded), instanceId, adapters: answers };
}

function overall(statuses: readonly Health[], isDegraded: boolean): Health {
  if (statuses.every((status) => status === "offline")) return "offline";
  return isDegraded || statuses.some((status) => status !== "healthy") ? "degraded" : "healthy";
}

function askOne(adapter: Adapter, clock: Clock): Promise<AdapterReply> {
  return new Promise((resolve) => {
    const answer = (status: Health, message?: string): void => {
      stop();
      resolve({ status, ...(message === undefined ? {} : { message }), capabilities: capabilitiesOf(adapter) });
    };
    const stop = clock.after(ANSWER_MS, () =>
      answer("offline", `It did not report its health within ${ANSWER_MS} ms.`),
    );
    const ask = async (): Promise<void> => {
      const { status, message } = await adapter.checkHealth();
      answer(status === "healthy" || status === "degraded" ? status : "offline", message);
    };
    ask().catch((thrown: unknown) => answer("offline", thrown instanceof Error ? thrown.message : String(thrown)));
  });
}

function capabilitiesOf(adapter: Adapter): Readonly<Record<string, boolean | string>> {
  try {
    return { ...adapter.capabilities() };
  } catch {
    return {};
  }
}
