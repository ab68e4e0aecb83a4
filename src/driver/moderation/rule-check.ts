import { createModerator, type Moderation, type ModerationRules, type Moderator } from "../../core/moderation/index.ts";
import type { ContentCheck, ModerationRequest } from "./content-check.ts";

/** Judges by fixed rules, immediately and without calling a service. */
export class RuleGateway implements ContentCheck {
  readonly #moderator: Moderator;

  constructor(rules: ModerationRules) {
    this.#moderator = createModerator(rules);
  }

  moderateNow({ text, data }: ModerationRequest): Moderation {
    const judged = this.#moderator.text(text);
    return judged.allowed && data !== undefined ? this.#moderator.json(data) : judged;
  }

  moderate(request: ModerationRequest): Promise<Moderation> {
    return new Promise((resolve) => resolve(this.moderateNow(request)));
  }
}
