import type {
  ListPage,
  NextSlots,
  PageOptions,
  TimingQuery,
  TriggerSample,
  TriggerAnswer,
  TriggerDelivery,
  TriggerTest,
} from "../contract/index.ts";
import type { Requests, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const ANSWER: Needs = ["started"];

/** Part of the API for using triggers. Triggers are registered like all other objects. */
export class TriggerClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Returns the effect that a delivery would have. Starts nothing. */
  test(trigger: string, sample: TriggerSample = {}): Promise<TriggerTest> {
    return this.#requests.ask("POST", `/triggers/${encode(trigger)}/test`, { body: sample }, ["starts", "problems"]);
  }

  fire(trigger: string, sample: TriggerSample = {}): Promise<TriggerAnswer> {
    return this.#requests.ask("POST", `/triggers/${encode(trigger)}/fire`, { body: sample }, ANSWER);
  }

  /** Starts the run of a schedule now, in addition to its slots. */
  runNow(schedule: string): Promise<TriggerAnswer> {
    return this.#requests.ask("POST", `/schedules/${encode(schedule)}/run-now`, {}, ANSWER);
  }

  /** Returns the next moments of a cron expression, without a schedule. */
  nextSlots(timing: TimingQuery): Promise<NextSlots> {
    return this.#requests.ask("GET", "/next-slots", { query: { ...timing } }, ["nextSlots"]);
  }

  listDeliveries(trigger: string, page: PageOptions = {}): Promise<ListPage<TriggerDelivery>> {
    return this.#requests.list(`/triggers/${encode(trigger)}/deliveries`, { query: { ...page } });
  }
}
