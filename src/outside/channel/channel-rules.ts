import { isNotified, type NotifyRule, rulesOfSource } from "../../core/definition/index.ts";
import type { Channel } from "../../registry/index.ts";
import type { RunStore, WorkflowStore } from "../../store/index.ts";
import type { Happening, Notice } from "./notice.ts";

type Kept = Pick<RunStore, "getRun"> & Pick<WorkflowStore, "getWorkflow" | "getDefinition">;

const KNOWN_MAX = 1_000;

/** Decides which channels are used for an event: by the rules of channels, and by those of its workflow. */
export class ChannelRules {
  readonly #store: Kept;
  /** By organisation and definition hash. The text under a hash never changes. */
  readonly #known = new Map<string, readonly NotifyRule[]>();

  constructor(store: Kept) {
    this.#store = store;
  }

  /** `all`: all channels of the organisation. */
  async isUsed(channel: string, happening: Happening, all: readonly Channel[], orgId: string): Promise<boolean> {
    const own = all.flatMap(({ id, rules }) => rules.filter((rule) => (rule.channel ?? id) === channel));
    if (own.some((rule) => isAbout(rule, happening))) return true;
    const ofWorkflow = await this.#ofWorkflow(orgId, happening.notice);
    return ofWorkflow.some((rule) => rule.channel === channel && isAbout(rule, happening));
  }

  /** Returns the rules of the version that the run uses, or of the newest version when there is no run yet. */
  async #ofWorkflow(orgId: string, { runId, workflow }: Notice): Promise<readonly NotifyRule[]> {
    const hash = await this.#hashOf(orgId, runId, workflow);
    if (hash === undefined) return [];
    const key = `${orgId}/${hash}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const definition = await this.#store.getDefinition(orgId, hash);
    const rules = definition === undefined ? [] : rulesOfSource(definition.source);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(key, rules);
    return rules;
  }

  async #hashOf(orgId: string, runId: string | null, workflow: string | null): Promise<string | undefined> {
    if (runId !== null) return (await this.#store.getRun(orgId, runId))?.definitionHash;
    return workflow === null ? undefined : (await this.#store.getWorkflow(orgId, workflow))?.latest.hash;
  }
}

/** An update goes wherever any rule about approvals sends messages. */
function isAbout(rule: NotifyRule, { notice, facts }: Happening): boolean {
  const isKind = notice.on === "update" ? rule.on.startsWith("approval.") : rule.on === notice.on;
  return isKind && (notice.on === "update" || isNotified(rule, facts));
}
