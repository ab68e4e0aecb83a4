import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/base/index.ts";
import { shownSpec } from "./change.ts";
import { MANIFEST_KINDS, type ManifestKind } from "./kind.ts";
import { readSpec } from "./read-spec.ts";

const SOURCE = "name: thing\nsteps:\n  - { id: a, command: A }\n";
const VERSION = { id: "v1", template_body: "Say [[x]]" };
const POLICY = { category: "guardrail", condition: "node.action == 'write'", action: "block" };

/** Of every kind: everything that may be written, and the least that must be. */
const EXAMPLES: Readonly<Record<ManifestKind, { readonly full: JsonObject; readonly least: JsonObject }>> = {
  Agent: {
    full: {
      trust_level: 7,
      execution_target: "cloud",
      may_read: ["trusted", "untrusted"],
      max_age_hours: 12.5,
      personality_note: "Dry\nand short",
      memory_profile: "recent",
      autonomy: "bounded",
      status: "paused",
      lifecycle: "suspended",
      phase: "poc",
      max_concurrent: 4,
      rate_limit: { count: 10, per_seconds: 60 },
      budget_monthly_usd: 12.345678,
      skills: ["law"],
      capabilities: ["gpu"],
      tools: { allow: ["github/*"], deny: ["github/delete_*"] },
      turn: { max_rounds: 5, max_tool_calls: 9, max_repeats: 2 },
      model: "openai:gpt-5",
      provider: "ai-sdk",
      system_prompt: "Be kind.",
      identity: { expires_at: "2031-05-04T10:00:00Z", revoked: true },
      data_classes: ["pii"],
      financial_threshold_usd: 0,
    },
    least: {},
  },
  Gateway: {
    full: {
      name: "Edge",
      url: "https://bridge.example.org/base/",
      environment: "prod",
      default: true,
      min_trust_level: 3,
      cost_rank: 20,
      capabilities: ["gpu"],
      providers: ["ai-sdk"],
      default_provider: "ai-sdk",
      dispatch_token: "dsp_12345",
      callback_token: "cbt_12345",
    },
    least: {},
  },
  Deployment: {
    full: {
      workflow: "hello",
      version: 3,
      gateway: "edge",
      role_bindings: { a: "b" },
      environment: "prod",
      active: false,
    },
    least: { agent: "analyst", gateway: "edge" },
  },
  Budget: {
    full: {
      scope: "team",
      scope_id: "desk",
      period: "weekly",
      amount_usd: 0.000001,
      enabled: false,
      alert_at: [0.5],
      on_exhausted: "pause",
    },
    least: { scope: "global", period: "daily", amount_usd: 0 },
  },
  Policy: {
    full: {
      ...POLICY,
      scope: "environment",
      scope_id: "prod",
      action: "require_approval",
      enforcement: "soft",
      enabled: false,
      reason: "Because",
      approvers: [{ who: "role:ops", within: "2h" }, "user:ada"],
      otherwise: "reject",
      expires: "3d",
      separate_approver: true,
      instructions: "Never mail.",
    },
    least: POLICY,
  },
  Lens: {
    full: {
      versions: [
        {
          ...VERSION,
          input_contract: { kind: "k", fields: { x: { type: "string", required: true } }, strict: true },
          output_contract: { kind: "k", artifact_kind: "a", schema: { y: { type: "integer" } } },
          required_tools: ["search"],
          required_tier: "advanced",
          role_tag: "writer",
        },
      ],
    },
    least: { versions: [VERSION] },
  },
  Team: {
    full: {
      members: [
        {
          agent: "analyst",
          role: "writer",
          lane: 1,
          sort_order: 2,
          is_active: false,
          tool_profile: { allow_tools: ["search"], requires_approval: ["mail"] },
          model_profile: { support_level: "advanced" },
          system_prompt_patch: "Be brief.",
        },
      ],
      approval_policy: { approvers: ["role:ops"], expires: "1h" },
      retry_policy: { attempts: 3 },
      failure_policy: "fallback",
      queue_policy: "serial",
      assignments: [{ workflow: "hello", approval_policy: "required", failure_policy: "halt" }],
    },
    least: { members: [{ agent: "analyst" }] },
  },
  LibraryStep: {
    full: {
      command: "Say ${x}",
      on_failure: "retry",
      retry: { attempts: 2 },
      outputs: { text: "string" },
      tools: ["a"],
    },
    least: {},
  },
  Schedule: {
    full: {
      workflow: "hello",
      cron: "*/5 9-17 * jan-mar mon-fri",
      timezone: "Europe/Berlin",
      args: { who: null },
      overlap: "queue",
      missed: "backfill",
      enabled: false,
    },
    least: { workflow: "hello", every_seconds: 60 },
  },
  Webhook: {
    full: {
      url: "https://example.org/hook",
      events: ["run.completed", "run.*", "*", "budget.alert"],
      secret: "whsec_12345",
      enabled: false,
    },
    least: { url: "http://example.org", events: ["run.failed"] },
  },
  Channel: {
    full: {
      type: "email",
      enabled: false,
      content: true,
      host: "smtp.example.org",
      port: 2525,
      secure: false,
      user: "sluice",
      password: "correct horse",
      from: "sluice@example.org",
      to: ["approvers", "ops@example.org"],
      quiet_hours: { from: "22:00", to: "07:30", zone: "Europe/Berlin" },
      rate: { per_minute: 10 },
      group: { within: "5m" },
      notify: [
        { on: "approval.requested", where: "workflow == 'pay' and args.amount > 100" },
        { on: "run.failed", channel: "ops" },
      ],
    },
    least: { type: "console" },
  },
  Model: {
    full: {
      provider: "openai",
      input_usd_per_mtok: 1.25,
      output_usd_per_mtok: 10,
      cached_usd_per_mtok: 0.125,
      max_output_tokens: 100_000,
    },
    least: { provider: "openai", input_usd_per_mtok: 0, output_usd_per_mtok: 0 },
  },
  CreditPlan: {
    full: { credits_per_token: { input: 0.001, output: 0.004, thinking: 0.004, cached: 0 }, enabled: false },
    least: { credits_per_usd: 100 },
  },
  Retention: {
    full: { workflow: "hello", runs: "forever", verdicts: "12h", transcripts: "7d", archive: "s3" },
    least: {},
  },
  Workflow: {
    full: { source: SOURCE, status: "paused", posture: "advisory", exposed: true },
    least: { source: SOURCE },
  },
  Alert: {
    full: { on: "failure_rate", threshold: 1, to: ["ops", "user:ada"] },
    least: { on: "gateway_down", to: "ops" },
  },
  Trigger: {
    full: {
      workflow: "hello",
      on: { hook: { verify: "hmac", id_from: "headers.x-request-id", header: "X-Signature", encoding: "base64" } },
      filter: "body.action == 'opened' and headers.x_kind != null",
      args: { who: "${body.user.name}", note: "From ${query.source}", fixed: 1 },
      concurrency: { key: "body.user.id", limit: 3, when_full: "cancel_new" },
      respond: "outputs",
      enabled: false,
    },
    least: { workflow: "hello", on: { form: {} } },
  },
  Tool: {
    full: {
      name: "payments/*",
      server: "payments",
      trusted: true,
      action: "financial",
      effects: "at_most_once",
      rate: { count: 5, per_seconds: 60 },
      approval: { approvers: ["role:risk"], expires: "2d" },
      redact: ["card.number", "items.*.iban"],
      timeout: "30s",
    },
    least: { name: "payments/refund" },
  },
  Function: {
    full: {
      description: "takes money",
      input: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
      output: { type: "object" },
      action: "financial",
      effects: "at_most_once",
    },
    least: {},
  },
  Grant: {
    full: {
      tool: "payments/refund",
      where: "tool.args.amount <= 50",
      run: "run_1",
      until: "2031-05-04T10:00:00Z",
      reason: "small ones",
    },
    least: { tool: "payments/refund", agent: "cashier", until: "2031-05-04T10:00:00Z" },
  },
  Secret: {
    full: {
      from: {
        vault: {
          url: "https://vault.example.org:8200",
          mount: "kv",
          path: "apps/billing",
          field: "token",
          namespace: "team",
          token: "secret://vault-token",
        },
      },
      scopes: ["gateway:eu", "agent:*", "tool:billing/*", "workflow:refund", "trigger:orders", "secret:other"],
    },
    least: { scopes: ["gateway:*"] },
  },
  RoleBinding: {
    full: { role: "reviewer", agent: "analyst", workflow: "hello", max_spend_usd: 12.5 },
    least: { role: "reviewer", agent: "analyst" },
  },
};

const KINDS = Object.keys(MANIFEST_KINDS) as ManifestKind[];
const problemsOf = (kind: ManifestKind, spec: Json, name = "thing"): readonly string[] => {
  const read = readSpec(kind, name, spec);
  return read.ok ? [] : read.problems.map(({ code, path }) => `${code} ${path}`);
};

describe.each(KINDS)("%s", (kind) => {
  const { full, least } = EXAMPLES[kind];

  it("takes everything it may contain, and the least", () => {
    expect(problemsOf(kind, full)).toEqual([]);
    expect(problemsOf(kind, least)).toEqual([]);
  });

  it("keeps the same when it is read again", () => {
    for (const spec of [full, least]) {
      const read = readSpec(kind, "thing", spec);
      if (!read.ok) throw new Error("it was read above");
      const written = kind === "Workflow" ? read.body : shownSpec(kind, read.body);
      expect(readSpec(kind, "thing", written)).toMatchObject({ ok: true, body: read.body });
    }
  });

  it("takes null for what may be absent, and for nothing else", () => {
    for (const key of Object.keys(full)) {
      // What readers of steps and lenses take is tested with them.
      if (kind === "LibraryStep" || kind === "Lens") continue;
      const found = problemsOf(kind, { ...full, [key]: null });
      const isAbsent = problemsOf(kind, Object.fromEntries(Object.entries(full).filter(([name]) => name !== key)));
      if (found.length > 0 && isAbsent.length === 0) expect(found).toEqual([`wrong_type ${key}`]);
    }
  });

  it("refuses any other type for every field", () => {
    for (const key of Object.keys(full)) {
      for (const wrong of [[[1]], { deep: { er: 1 } }, 1e300, "\u0007"]) {
        if (kind === "Agent" && ["personality_note", "system_prompt"].includes(key) && wrong === "\u0007") continue;
        if (["reason", "instructions", "description"].includes(key) && wrong === "\u0007") continue;
        if (key === "args" || (kind === "LibraryStep" && wrong === "\u0007")) continue;
        const found = problemsOf(kind, { ...full, [key]: wrong });
        expect([key, wrong, found.some((problem) => problem.includes(` ${key}`))]).toEqual([key, wrong, true]);
      }
    }
  });

  it("refuses a key it does not know, and suggests the one that was meant", () => {
    const [key = ""] = Object.keys(full);
    const read = readSpec(kind, "thing", { ...full, [`${key}x`]: 1 });
    expect(read).toMatchObject({
      ok: false,
      problems: [{ code: "unknown_key", path: `${key}x`, hint: `Did you mean "${key}"?` }],
    });
  });

  it.each([null, [], "text", 7, true])("is a map, not %j", (spec) => {
    expect(problemsOf(kind, spec)).toEqual(["wrong_type "]);
  });

  it.each(["", " ", "a b", "a".repeat(201), "Ünï", "-a", "__proto__", "constructor", "a\n"])(
    "is not called %j",
    (name) => {
      expect(problemsOf(kind, full, name).some((problem) => /^(?:bad_name|reserved_id) name$/.test(problem))).toBe(
        true,
      );
    },
  );

  it("reports what is wrong in sentences", () => {
    const read = readSpec(kind, "a b", { ...full, stranger: 1, [Object.keys(full)[0] ?? ""]: [[]] });
    if (read.ok) throw new Error("it is wrong");
    for (const { message, hint } of read.problems) {
      expect(message).toMatch(/^["A-Z].*\.$/s);
      if (hint !== undefined) expect(hint).toMatch(/^[A-Z].*[.?]$/s);
    }
  });
});

describe("limits", () => {
  it.each<[ManifestKind, string, readonly Json[], readonly Json[]]>([
    ["Agent", "trust_level", [1, 10], [0, 11, 1.5, -1]],
    ["Agent", "max_concurrent", [1, 100_000], [0, 100_001]],
    ["Agent", "max_age_hours", [0.5, 1_000_000], [0, 1_000_001]],
    ["Agent", "budget_monthly_usd", [0, 1_000_000_000, 0.000001], [-0.01, 1_000_000_000.01, 0.0000001]],
    ["Agent", "model", ["m".repeat(256)], ["m".repeat(257), ""]],
    ["Agent", "system_prompt", ["x".repeat(65_536)], ["x".repeat(65_537)]],
    [
      "Agent",
      "memory_profile",
      ["log", { name: "log" }, { name: "log", entries: 1 }, { name: "log", entries: 50 }],
      [{ name: "log", entries: 0 }, { name: "log", entries: 51 }, { name: "" }, { entries: 5 }, { name: "a", of: 1 }],
    ],
    ["Gateway", "min_trust_level", [1, 10], [0, 11]],
    ["Gateway", "cost_rank", [0, 999, 1_000], [-1, 1_001, 0.5]],
    ["RoleBinding", "max_spend_usd", [0, 1_000_000_000, 0.000001], [-0.01, 1_000_000_000.01, 0.0000001]],
    ["Gateway", "dispatch_token", ["x".repeat(8), "x".repeat(500)], ["x".repeat(7), "x".repeat(501), "täuschung"]],
    ["Deployment", "version", [1, 2_147_483_647], [0, 2_147_483_648]],
    ["Budget", "alert_at", [[], [10]], [[0], [10.1]]],
    ["Schedule", "timezone", ["UTC", "America/New_York"], ["Mars/Base", ""]],
    ["Model", "max_output_tokens", [1], [0]],
    ["Alert", "threshold", [0, 1], [-1, 1.01]],
  ])("%s %s", (kind, key, fine, wrong) => {
    for (const value of fine)
      expect([value, problemsOf(kind, { ...EXAMPLES[kind].full, [key]: value })]).toEqual([value, []]);
    for (const value of wrong) {
      const found = problemsOf(kind, { ...EXAMPLES[kind].full, [key]: value });
      expect([value, found.length > 0 && found.every((problem) => problem.includes(` ${key}`))]).toEqual([value, true]);
    }
  });

  it.each<[ManifestKind, number]>([
    ["Agent", 64],
    ["Policy", 64],
    ["Gateway", 64],
    ["Model", 200],
  ])("the name of a %s has at most %i characters", (kind, max) => {
    expect(problemsOf(kind, EXAMPLES[kind].full, "a".repeat(max))).toEqual([]);
    expect(problemsOf(kind, EXAMPLES[kind].full, "a".repeat(max + 1))).toEqual(["bad_name name"]);
  });
});

describe("what a schema cannot express", () => {
  it.each<[ManifestKind, JsonObject, string]>([
    ["Deployment", { gateway: "g" }, "missing_field workflow"],
    ["Deployment", { gateway: "g", workflow: "w", agent: "a" }, "conflicting_fields agent"],
    ["Deployment", { gateway: "g", agent: "a", version: 1 }, "conflicting_fields version"],
    ["Budget", { scope: "agent", period: "daily", amount_usd: 1 }, "missing_field scope_id"],
    ["Budget", { scope: "global", scope_id: "x", period: "daily", amount_usd: 1 }, "conflicting_fields scope_id"],
    ["Policy", { ...POLICY, scope_id: "x" }, "conflicting_fields scope_id"],
    ["Policy", { ...POLICY, condition: "node.action ==" }, "bad_expression condition"],
    ["Policy", { ...POLICY, condition: "nod.action == 'x'" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, condition: "node.estimated_cost > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, condition: "agent.rate_limit.cuont > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, condition: "count(nod.tools) > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, condition: "any(node.tools, x => contans(x, 'mail'))" }, "unknown_function condition"],
    ["Policy", { ...POLICY, condition: "matches(node.model, '(')" }, "bad_pattern condition"],
    ["Policy", { ...POLICY, condition: "node.estimatedUsd * node.model > 1" }, "type_mismatch condition"],
    ["Policy", { ...POLICY, condition: "any(node.tools, x => x > 1)" }, "type_mismatch condition"],
    ["Policy", { ...POLICY, condition: "agent.trust_level == 'high'" }, "type_mismatch condition"],
    ["Policy", { ...POLICY, condition: "node.tools" }, "type_mismatch condition"],
    ["Policy", { ...POLICY, category: "run_creation", condition: "node.action == 'x'" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, condition: "tool.args.amount > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, category: "tool", condition: "tool.arg.amount > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, category: "tool", condition: "budget.ratio > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, category: "tool", condition: "node.estimatedUsd > 1" }, "unknown_fact condition"],
    ["Policy", { ...POLICY, category: "tool", condition: "tool.calls == 'many'" }, "type_mismatch condition"],
    [
      "Policy",
      { ...POLICY, category: "tool", condition: "true", instructions: "x" },
      "conflicting_fields instructions",
    ],
    [
      "Policy",
      { ...POLICY, category: "tool", condition: "true", forbids: { tools: ["*"] } },
      "conflicting_fields forbids",
    ],
    ["Tool", {}, "missing_field name"],
    ["Tool", { name: " " }, "bad_name name"],
    ["Tool", { name: "t", trusted: true }, "missing_field server"],
    ["Tool", { name: "t", action: "reed" }, "bad_enum action"],
    ["Tool", { name: "t", effects: "once" }, "bad_enum effects"],
    ["Tool", { name: "t", rate: { count: 0, per_seconds: 1 } }, "bad_number rate.count"],
    ["Tool", { name: "t", rate: { count: 1 } }, "missing_field rate.per_seconds"],
    ["Tool", { name: "t", approval: "yes" }, "wrong_type approval"],
    ["Tool", { name: "t", approval: { aprovers: [] } }, "unknown_key approval.aprovers"],
    ["Tool", { name: "t", approval: { approvers: ["bob"] } }, "bad_name approval.approvers[0]"],
    ["Tool", { name: "t", approval: { form: { n: "number" } } }, "unknown_key approval.form"],
    ["Tool", { name: "t", redact: ["card..number"] }, "bad_name redact[0]"],
    ["Tool", { name: "t", timeout: "40d" }, "bad_duration timeout"],
    ["Grant", { tool: "t", until: "2031-05-04" }, "missing_field run"],
    ["Grant", { tool: "t", run: "r", agent: "a", until: "2031-05-04" }, "conflicting_fields agent"],
    ["Grant", { tool: "t", run: "r" }, "missing_field until"],
    ["Grant", { tool: "t", run: "r", until: "soon" }, "wrong_type until"],
    ["Grant", { tool: "t", run: "r", until: "2031-05-04", where: "amount > 1" }, "unknown_fact where"],
    ["Grant", { tool: "t", run: "r", until: "2031-05-04", where: "tool.name == 'x'" }, "unknown_fact where"],
    ["Grant", { tool: "t", run: "r", until: "2031-05-04", where: "tool.args.amount >" }, "bad_expression where"],
    ["Agent", { tools: { alow: ["x"] } }, "unknown_key tools.alow"],
    ["Agent", { turn: { max_rounds: 1_001 } }, "bad_number turn.max_rounds"],
    ["Agent", { turn: { max_repeats: 0 } }, "bad_number turn.max_repeats"],
    ["Policy", { ...POLICY, reason: "use ghp_0123456789abcdefghijABCDEFGHIJ0123456789" }, "secret_literal reason"],
    ["Team", { members: [{ agent: "a" }], failure_policy: { mode: "hlat" } }, "bad_enum failure_policy.mode"],
    ["Team", { members: [{ agent: "a" }], failure_policy: "hlat" }, "bad_enum failure_policy"],
    ["Policy", { ...POLICY, condition: "" }, "bad_expression condition"],
    ["Policy", { ...POLICY, condition: 7 }, "wrong_type condition"],
    ["Policy", { ...POLICY, approvers: [] }, "missing_field approvers"],
    ["Policy", { ...POLICY, approvers: ["bob"] }, "bad_name approvers[0]"],
    ["Policy", { ...POLICY, quorum: 0 }, "bad_number quorum"],
    ["Policy", { ...POLICY, four_eyes: true, quorum: 1 }, "conflicting_fields quorum"],
    ["Policy", { ...POLICY, confirm: "mail" }, "bad_enum confirm"],
    ["Policy", { ...POLICY, form: { n: "number" } }, "unknown_key form"],
    ["Policy", { ...POLICY, show: ["x.y"] }, "unknown_key show"],
    ["Policy", { ...POLICY, approvers: [{ who: "role:a", within: "2x" }] }, "bad_duration approvers[0].within"],
    ["Policy", { ...POLICY, otherwise: "shrug" }, "bad_enum otherwise"],
    ["Policy", { ...POLICY, expires: "40d" }, "bad_duration expires"],
    ["Lens", { versions: [] }, "missing_field versions"],
    ["Lens", { versions: [VERSION, VERSION] }, "duplicate_id versions[1].id"],
    ["Lens", { versions: [{ id: "v", template_body: "[[" }] }, "bad_template versions[0].template_body"],
    ["Team", { members: [] }, "missing_field members"],
    ["Team", { members: [{}] }, "missing_field members[0].agent"],
    ["Team", { members: [{ agent: "a" }], approval_policy: 7 }, "wrong_type approval_policy"],
    ["Team", { members: [{ agent: "a" }], approval_policy: { aprovers: [] } }, "unknown_key approval_policy.aprovers"],
    ["Team", { members: [{ agent: "a" }], retry_policy: { attempts: 11 } }, "bad_number retry_policy.attempts"],
    [
      "Team",
      { members: [{ agent: "a" }], assignments: [{ workflow: "w", retry_policy: { attempts: 0 } }] },
      "bad_number assignments[0].retry_policy.attempts",
    ],
    [
      "Team",
      { members: [{ agent: "a" }], assignments: [{ workflow: "w" }, { workflow: "w" }] },
      "duplicate_id assignments[1].workflow",
    ],
    ["LibraryStep", { id: "a", command: "A" }, "unknown_key id"],
    ["LibraryStep", { command: "${" }, "bad_template command"],
    ["Schedule", { workflow: "w" }, "missing_field cron"],
    ["Schedule", { workflow: "w", cron: "* * * * *", every_seconds: 5 }, "conflicting_fields every_seconds"],
    ["Schedule", { workflow: "w", cron: "* * * *" }, "bad_expression cron"],
    ["Webhook", { url: "ftp://a", events: ["*"] }, "wrong_type url"],
    ["Webhook", { url: "https://a", events: [] }, "missing_field events"],
    ["Webhook", { url: "https://a", events: ["run.complted"] }, "bad_enum events[0]"],
    ["Model", { input_usd_per_mtok: 1, output_usd_per_mtok: 1 }, "missing_field provider"],
    ["Workflow", { source: "name: other\nsteps:\n  - { id: a, command: A }\n" }, "bad_name source"],
    ["Workflow", { source: "name: thing\nsteps: []\n" }, "missing_field source"],
    ["Alert", { on: "budget", to: "ops" }, "missing_field threshold"],
  ])("%s %j", (kind, spec, problem) => {
    expect(problemsOf(kind, spec)).toEqual([problem]);
  });

  it("keeps secrets apart from everything that is shown", () => {
    const webhook = readSpec("Webhook", "ops", EXAMPLES.Webhook.full);
    expect(webhook).toMatchObject({ ok: true, secrets: { secret: "whsec_12345" } });
    expect(JSON.stringify(webhook.ok ? webhook.body : null)).not.toContain("whsec");
    const gateway = readSpec("Gateway", "edge", EXAMPLES.Gateway.full);
    expect(gateway).toMatchObject({ secrets: { dispatch_token: "dsp_12345", callback_token: "cbt_12345" } });
    expect(JSON.stringify(gateway.ok ? gateway.body : null)).not.toMatch(/dsp_|cbt_/);
    expect(readSpec("Webhook", "ops", EXAMPLES.Webhook.least)).not.toHaveProperty("secrets");
  });

  it("finds everything at once", () => {
    expect(problemsOf("Agent", { trust_level: 0, autonomy: "free", skills: "x", stranger: 1 }, "a b")).toEqual([
      "bad_name name",
      "bad_number trust_level",
      "bad_enum autonomy",
      "wrong_type skills",
      "unknown_key stranger",
    ]);
  });
});
