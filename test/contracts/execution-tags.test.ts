import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { openEmbedded } from "../../src/store/embedded/index.ts";
import { createSqlStore, type Sql } from "../../src/store/index.ts";
import { connect, createDatabase } from "../postgres/database.ts";
import { creation, logged, share } from "./shares.ts";

interface Opened {
  readonly sql: Sql;
  readonly close: () => Promise<void>;
}

const DATABASES: Readonly<Record<string, () => Promise<Opened>>> = {
  "the embedded database": async () => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-tags-"));
    const sql = await openEmbedded({ directory });
    return { sql, close: async () => rmSync(directory, { recursive: true }) };
  },
  Postgres: async () => {
    const { url, drop } = await createDatabase();
    return { sql: connect(url, 1), close: drop };
  },
};

const TAGS = { name: "", text: "select * from execution_tags where run_id = 'run_1'" };
const ENVELOPE = { kind: "text", artifactKind: "text", output: "" };
const USAGE = { durationMs: 12.5, inputTokens: 3, outputTokens: 4, costMicros: 5 };
const ROUTE = { agentId: null, gatewayId: null, provider: null, model: null, verdictId: null, executionPath: null };
const HOSTILE = "NUL \0, half a pair \ud83d, a \\u0000 as text and a whole one \u{1f600}";

/** Every tagged event, between events that have no tag. */
const FACTS: readonly (readonly [RunEvent["type"], object])[] = [
  ["node.queued", { nodeId: "a", waitingReason: "queued" }],
  ["node.started", { nodeId: "a", attempt: 1, wave: 2, ...ROUTE }],
  [
    "node.retried",
    {
      nodeId: "a",
      attempt: 1,
      cause: "timeout",
      delayMs: 1_500,
      nextAttempt: 2,
      errorCode: "x",
      errorMessage: "y",
      until: 1,
    },
  ],
  ["moderation.flagged", { nodeId: "a", attempt: 2, phase: "output", decision: "x".repeat(70_000) }],
  ["contract.violated", { nodeId: "a", attempt: 2, phase: "input", errors: [{ field: "f", reason: "missing" }] }],
  [
    "node.timed_out",
    { nodeId: "a", attempt: 2, errorCode: "timeout", errorMessage: "late", retryable: true, timeoutMs: 600_000 },
  ],
  ["node.failed", { nodeId: "each[3]", errorCode: "provider_error", errorMessage: HOSTILE, retryable: false }],
  ["node.completed", { nodeId: "b", attempt: 1, envelope: ENVELOPE, outputs: { text: "y".repeat(70_000) }, ...USAGE }],
  ["node.cancelled", { nodeId: "c", reason: "run_cancelled" }],
];

describe.each(Object.entries(DATABASES))("execution_tags on %s", (_name, open) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
    await createSqlStore(opened.sql).migrate();
  });
  afterAll(async () => {
    await opened.sql.close();
    await opened.close();
  });

  it("reports every tag with its metadata, and nothing else", async () => {
    const store = createSqlStore(opened.sql);
    await store.commit([creation("run_1"), creation("run_2")]);
    const events = FACTS.map(([type, payload], index) => ({ ...logged(index + 3), type, payload }) as RunEvent);
    await store.commit([share("run_1", 1, events.slice(0, 4)), share("run_2", 1, events.slice(0, 4))]);
    await store.commit([share("run_1", 2, events.slice(4))]);
    const found = await opened.sql.query<{ metadata: unknown }>(TAGS);
    // One client reads JSON by itself, the other leaves it a text.
    const rows = found.map(({ metadata, ...row }) => ({
      ...row,
      metadata: typeof metadata === "string" ? (JSON.parse(metadata) as unknown) : metadata,
    }));
    const expected = [
      ["a", "node_started", { attempt: 1, wave: 2 }],
      ["a", "node_retried", { attempt: 1, cause: "timeout", delay_ms: 1_500 }],
      ["a", "moderation_flagged", { phase: "output" }],
      ["a", "contract_violated", { phase: "input", errors: [{ field: "f", reason: "missing" }] }],
      ["a", "timed_out", { timeout_ms: 600_000 }],
      [
        "each[3]",
        "node_failed",
        {
          error_code: "provider_error",
          error_message: "NUL \ufffd, half a pair \ufffd, a \\ufffd as text and a whole one \u{1f600}",
        },
      ],
      ["b", "node_completed", { duration_ms: 12.5, input_tokens: 3, output_tokens: 4 }],
      ["c", "node_cancelled", {}],
    ];
    expect(rows).toHaveLength(expected.length);
    for (const [node_id, tag, metadata] of expected)
      expect(rows).toContainEqual({ run_id: "run_1", node_id, tag, metadata });
  });
});
