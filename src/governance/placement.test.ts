import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import type { Deployment, RoleBinding } from "../core/governance/index.ts";
import { checkSource } from "../core/plan/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import { type PlacedRun, placementOf } from "./placement.ts";

const SOURCE = `name: w
roles: { editor: { agent: eve }, judge: { agent: jo }, unfilled: }
steps:
  - { id: a, role: editor, command: go }
  - { id: b, role: judge, command: go }
  - { id: c, role: unfilled, command: go }
  - { id: d, role: editor, command: go }
`;
const { plan } = checkSource(SOURCE, EMPTY_CATALOG);
if (plan === null) throw new Error("the plan does not compile");

const run = (more: Partial<PlacedRun> = {}): PlacedRun => ({
  workflow: "w",
  plan,
  gateway: null,
  roleBindings: {},
  ...more,
});
const deployment = (more: Partial<Deployment>): Deployment => ({
  id: "d",
  workflow: null,
  agent: null,
  version: null,
  gateway: "gw",
  roleBindings: {},
  environment: null,
  isActive: true,
  ...more,
});
const binding = (role: string, agent: string, workflow: string | null): RoleBinding => ({
  id: `${role}-${agent}`,
  role,
  agent,
  workflow,
  maxSpendMicros: null,
});
const gateway = (id: string, isDefault: boolean): GatewayView => ({ id, isDefault }) as GatewayView;
const OF_FILE = { editor: "eve", judge: "jo" };

describe("where a run belongs", () => {
  it("is anywhere, and its roles are the file's, while nothing is registered", () => {
    expect(placementOf(run(), { deployments: [], bindings: [] }, [gateway("x", false)])).toEqual({
      roleBindings: OF_FILE,
    });
  });

  it("is the gateway its start names, else its deployment's, else the default one", () => {
    const deployments = [deployment({ workflow: "w", gateway: "deployed", environment: "prod" })];
    const gateways = [gateway("x", false), gateway("standard", true)];
    const pinned = (more: Partial<PlacedRun>, kept: readonly Deployment[]) => {
      const { gateway: id, from, environment } = placementOf(run(more), { deployments: kept, bindings: [] }, gateways);
      return { id, from, environment };
    };
    expect(pinned({ gateway: "mine" }, deployments)).toEqual({ id: "mine", from: "run", environment: "prod" });
    expect(pinned({}, deployments)).toEqual({ id: "deployed", from: "deployment", environment: "prod" });
    expect(pinned({}, [])).toEqual({ id: "standard", from: "default" });
    const idle = deployments.map((one) => ({ ...one, isActive: false }));
    expect(pinned({}, idle)).toEqual({ id: "standard", from: "default" });
  });

  it("binds roles by the start, the deployment, the workflow, everywhere, the file, in this order", () => {
    const bindings = [binding("editor", "any", null), binding("editor", "own", "w"), binding("judge", "other", "v")];
    const roles = (more: Partial<PlacedRun>, deployments: readonly Deployment[], kept = bindings) =>
      placementOf(run(more), { deployments, bindings: kept }, []).roleBindings;
    const deployed = [deployment({ workflow: "w", roleBindings: { editor: "there" } })];
    expect(roles({ roleBindings: { editor: "mine", extra: "x" } }, deployed)).toEqual({
      ...OF_FILE,
      editor: "mine",
      extra: "x",
    });
    expect(roles({}, deployed)).toEqual({ ...OF_FILE, editor: "there" });
    expect(roles({}, [])).toEqual({ ...OF_FILE, editor: "own" });
    expect(roles({}, [], [binding("editor", "any", null)])).toEqual({ ...OF_FILE, editor: "any" });
  });

  it("keeps where agents are deployed, unless the workflow itself is", () => {
    const agents = [
      deployment({ agent: "eve", gateway: "here", environment: "test" }),
      deployment({ agent: "jo", gateway: "there" }),
      deployment({ agent: "jo", gateway: "off", isActive: false }),
    ];
    expect(placementOf(run(), { deployments: agents, bindings: [] }, []).agents).toEqual([
      { agent: "eve", gateway: "here", environment: "test" },
      { agent: "jo", gateway: "there" },
    ]);
    const both = [...agents, deployment({ workflow: "w" })];
    expect(placementOf(run(), { deployments: both, bindings: [] }, [])).not.toHaveProperty("agents");
  });

  it("returns separately what was named, for child runs and restarts", () => {
    const named = { gateway: "mine", roleBindings: { editor: "me" } };
    expect(placementOf(run(named), { deployments: [], bindings: [] }, []).named).toEqual(named);
    expect(placementOf(run(), { deployments: [], bindings: [] }, [])).not.toHaveProperty("named");
  });
});
