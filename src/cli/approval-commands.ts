import { type Command, Option } from "commander";
import { APPROVAL_STATUSES, type Decision, DECISIONS } from "../core/event/index.ts";
import { editApproval } from "./approval-edit.ts";
import { addLinkOptions, addListOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { addChoice, collect } from "./option-values.ts";
import {
  listApprovals,
  type ListApprovalsOptions,
  resolveApproval,
  type ResolveOptions,
  showApproval,
} from "./inbox.ts";
import type { LinkOptions } from "./server-link.ts";

type ListWords = Omit<ListApprovalsOptions, "status"> & Partial<Pick<ListApprovalsOptions, "status">> & LinkOptions;

/** Adds `sluice approvals …`: commands that list and answer approvals. */
export function addApprovalCommands(program: Command, bench: Workbench): void {
  const approvals = addNoun(program, "approvals", "list and answer the approvals of the server");
  const list = addListOptions(approvals.command("list").description("list approvals, by default the unanswered ones"))
    .option("--mine", "only those this key may answer")
    .option("--workflow <name>", "only of this workflow")
    .option("--assignee <name>", "only those assigned to this name, to me, or to none")
    .option("--older-than <time>", "only those asked before a time, or longer ago: 4h, 2d")
    .option("--search <text>", "only those with this text in title, workflow, node, run id or args");
  addChoice(list, "--status <status>", "which approvals", [...APPROVAL_STATUSES, "closed", "all"])
    .addHelpText("after", example("sluice approvals list --mine --search invoice"))
    .action(
      onServer(bench, (io, api, options: ListWords) => listApprovals(io, api, { status: "pending", ...options })),
    );
  addLinkOptions(approvals.command("show").description("show an approval: what will happen, why, and who is asked"))
    .argument("<approval>", "id of the approval")
    .option("--json", "print the approval as JSON")
    .addHelpText("after", example("sluice approvals show apr_01hq"))
    .action(onServer(bench, showApproval));
  addAnswers(approvals, bench);
}

function addAnswers(approvals: Command, bench: Workbench): void {
  for (const [verb, about, line] of [
    ["approve", "approve it", "sluice approvals approve apr_01hq --form amount=20 --reason checked"],
    ["reject", "reject it; a reason is needed", 'sluice approvals reject apr_01hq --reason "too early"'],
  ] as const) {
    const command = addAnswerOptions(approvals.command(verb).description(about));
    if (verb === "approve") addCallOptions(command);
    command
      .addHelpText("after", example(line))
      .action(
        onServer(bench, (io, api, id: string, options: ResolveOptions) => resolveApproval(io, api, id, verb, options)),
      );
  }
  addAnswerOptions(
    approvals.command("edit").description("change inputs or args, show the difference, and approve with the changes"),
  )
    .option("--set <name=value>", "an input or arg to change; may be repeated; default: opens $EDITOR", collect)
    .addHelpText("after", example("sluice approvals edit apr_01hq --set amount=20"))
    .action(onServer(bench, editApproval));
  addAnswerOptions(approvals.command("resolve").description("answer with one of the choices an approval offers"))
    .addOption(new Option("--choice <choice>", "the answer").choices(DECISIONS).makeOptionMandatory())
    .addHelpText("after", example("sluice approvals resolve apr_01hq --choice retry"))
    .action(
      onServer(bench, (io, api, id: string, options: ResolveOptions & { choice: Decision }) =>
        resolveApproval(io, api, id, options.choice, options),
      ),
    );
}

function addCallOptions(command: Command): void {
  command
    .option("--args <json>", "for a tool call: these args replace all args shown")
    .option("--result <json>", "for a tool call that never reported: it was made, and this is its result");
}

function addAnswerOptions(command: Command): Command {
  return addLinkOptions(command)
    .argument("<approval>", "id of the approval")
    .option("--reason <text>", "why, for the record")
    .option("--form <field=value>", "a field of its form; may be repeated", collect)
    .option("--override", "answer although other people are asked; for admins, with a reason")
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print the answered approval as JSON")
    .option("--quiet", "print nothing");
}
