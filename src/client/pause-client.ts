import type { OrganisationPause, Run, Workflow } from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { RequestParts, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Requests {
  ask<T>(method: string, path: string, asked: RequestParts, needs: Needs): Promise<T>;
}

const ORGANISATION: Needs = ["id", "paused"];

/** Part of the API that pauses and resumes. During a pause nothing new is dispatched, and nothing is lost. */
export class PauseClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Pauses a run with its child runs. */
  pauseRun(runId: string, reason?: string): Promise<Run> {
    return this.#requests.ask("POST", `/runs/${encode(runId)}/pause`, { body: { reason } }, NEEDS.run);
  }

  resumeRun(runId: string, reason?: string): Promise<Run> {
    return this.#requests.ask("POST", `/runs/${encode(runId)}/resume`, { body: { reason } }, NEEDS.run);
  }

  /** Pauses a workflow with all its runs. A paused workflow accepts no new runs. */
  pauseWorkflow(name: string, reason?: string): Promise<Workflow> {
    return this.#requests.ask("POST", `/workflows/${encode(name)}/pause`, { body: { reason } }, NEEDS.workflow);
  }

  resumeWorkflow(name: string, reason?: string): Promise<Workflow> {
    return this.#requests.ask("POST", `/workflows/${encode(name)}/resume`, { body: { reason } }, NEEDS.workflow);
  }

  pauseOrganisation(id: string, reason?: string): Promise<OrganisationPause> {
    return this.#requests.ask("POST", `/organisations/${encode(id)}/pause`, { body: { reason } }, ORGANISATION);
  }

  resumeOrganisation(id: string, reason?: string): Promise<OrganisationPause> {
    return this.#requests.ask("POST", `/organisations/${encode(id)}/resume`, { body: { reason } }, ORGANISATION);
  }
}
