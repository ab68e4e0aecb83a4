import { type Command, InvalidArgumentError } from "commander";
import type { MemberRole } from "../client/index.ts";
import { addLinkOptions, addListOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { collect } from "./option-values.ts";
import {
  CLEARABLE,
  type Clearable,
  createOrganisation,
  invite,
  listOrganisations,
  showLimits,
  listPeople,
  listSessions,
  removeMember,
  revokeSession,
  setMember,
} from "./people.ts";
import { addOrganisationPauses } from "./pauses.ts";
import { ROLES } from "./registry-commands.ts";

export function addPeopleCommands(program: Command, bench: Workbench): void {
  const people = addNoun(program, "people", "see, invite and change the members of the organisation");
  addListOptions(people.command("list").description("list members, or who is invited"))
    .option("--invited", "list invitations instead")
    .addHelpText("after", example("sluice people list"))
    .action(onServer(bench, listPeople));
  addLinkOptions(people.command("invite").description("invite a person; the link is shown only once"))
    .argument("<email>", "only a person with this verified email can accept")
    .requiredOption("--role <role>", `what they may do: ${ROLES.join(", ")}; may be repeated`, collectRole)
    .option("--group <name>", "a group they belong to; may be repeated", collect)
    .option("--json", "print the invitation as JSON")
    .addHelpText("after", example("sluice people invite ann@example.com --role approver --group finance"))
    .action(onServer(bench, invite));
  addLinkOptions(
    people.command("set").description("set roles, groups and deputy of a member; claims of the provider are kept"),
  )
    .argument("<person>", "id or verified email")
    .option("--role <role>", `what they may do: ${ROLES.join(", ")}; may be repeated`, collectRole)
    .option("--group <name>", "a group they belong to; may be repeated", collect)
    .option("--deputy <person>", "deputy who answers approvals in their place")
    .option("--until <day>", "the last day of the deputy, or a moment as ISO 8601")
    .option("--clear <what>", `${CLEARABLE.join(", ")}; may be repeated`, collectClearable)
    .option("--json", "print the member as JSON")
    .addHelpText("after", example("sluice people set ann@example.com --role approver --group finance"))
    .action(onServer(bench, setMember));
  addLinkOptions(people.command("remove").description("end a membership; keys the person has made are revoked"))
    .argument("<person>", "id or verified email")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice people remove ann@example.com"))
    .action(onServer(bench, removeMember));
  addSessionCommands(program, bench);
  addOrganisationCommands(program, bench);
}

function addSessionCommands(program: Command, bench: Workbench): void {
  const sessions = addNoun(program, "sessions", "see and end the sessions of browsers");
  addLinkOptions(sessions.command("list").description("list sessions that were opened with the key, or all"))
    .option("--all", "of all members and keys of the organisation")
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice sessions list --all"))
    .action(onServer(bench, listSessions));
  addLinkOptions(sessions.command("revoke").description("end a session, for good"))
    .argument("<session-id>", "id of the session")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice sessions revoke ses_01hq"))
    .action(onServer(bench, revokeSession));
}

function addOrganisationCommands(program: Command, bench: Workbench): void {
  const organisations = addNoun(program, "organisations", "see and make organisations");
  addLinkOptions(organisations.command("list").description("list the organisations of the caller"))
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice organisations list"))
    .action(onServer(bench, listOrganisations));
  addLinkOptions(organisations.command("create").description("make an organisation; its admin key is shown only once"))
    .argument("<id>", "1 to 64 letters, digits, _, . or -")
    .option("--name <text>", "for people")
    .option("--json", "print the organisation as JSON")
    .addHelpText("after", example("sluice organisations create acme --name 'Acme Inc.'"))
    .action(onServer(bench, createOrganisation));
  addLinkOptions(
    organisations.command("limits").description("show the limits of an organisation, and how much of them is used"),
  )
    .argument("<id>", "id of the organisation")
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice organisations limits acme"))
    .action(onServer(bench, showLimits));
  addOrganisationPauses(organisations, bench);
}

function collectRole(text: string, previous: readonly MemberRole[] = []): readonly MemberRole[] {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new InvalidArgumentError(`Allowed choices are ${ROLES.join(", ")}.`);
  return [...previous, role];
}

function collectClearable(text: string, previous: readonly Clearable[] = []): readonly Clearable[] {
  const what = CLEARABLE.find((one) => one === text);
  if (what === undefined) throw new InvalidArgumentError(`Allowed choices are ${CLEARABLE.join(", ")}.`);
  return [...previous, what];
}
