import type {
  AnswerRight,
  Approval,
  ApprovalComment,
  ApprovalCounts,
  BulkAnswer,
  BulkAnswered,
  ListPage,
  PageOptions,
} from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { Door } from "./caller.ts";
import { encode } from "./query.ts";

/** The part of the API that an inbox of approvals needs beside single answers. */
export class ApprovalClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  counts(): Promise<ApprovalCounts> {
    return this.#door.ask("GET", "/approvals/counts", {}, ["waiting", "mine"]);
  }

  /** Up to 200; each is judged as if it had come alone, and a refusal does not stop the others. */
  resolveMany(answers: BulkAnswer["answers"]): Promise<BulkAnswered> {
    return this.#door.ask("POST", "/approvals/resolve", { body: { answers } }, ["answered", "data"]);
  }

  /** Whether the caller may answer, and why not. */
  getRight(approvalId: string): Promise<AnswerRight> {
    return this.#door.ask("GET", `/approvals/${encode(approvalId)}/right`, {}, ["mayAnswer"]);
  }

  /** Oldest first. */
  listComments(approvalId: string, page: PageOptions = {}): Promise<ListPage<ApprovalComment>> {
    return this.#door.list(`/approvals/${encode(approvalId)}/comments`, { query: { ...page } });
  }

  comment(approvalId: string, text: string): Promise<ApprovalComment> {
    return this.#door.ask("POST", `/approvals/${encode(approvalId)}/comments`, { body: { text } }, ["id", "text"]);
  }

  /** To a name as approver lists have them, or `me`; null: to no one. */
  assign(approvalId: string, to: string | null): Promise<Approval> {
    return this.#door.ask("PUT", `/approvals/${encode(approvalId)}/assignee`, { body: { to } }, NEEDS.approval);
  }
}
