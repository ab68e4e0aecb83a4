/** Shows: a saga. When a later part fails, what was done before it is undone, the last first, and the run fails. */
import { z } from "zod";
import { agent, fail, workflow } from "sluice/workflow";

export default workflow("open-account", { args: z.object({ account: z.string().default("a-1") }) }, ({ args }) => {
  const create = agent("create", { command: `Create the account ${args.account}.` });
  const addAddress = agent("add_address", { command: "Add the address.", depends_on: [create] });
  const addClient = agent("add_client", { command: "Add the client.", depends_on: [addAddress] });
  const addBank = agent("add_bank", { command: "Add the bank account.", depends_on: [addClient] });
  const removeClient = agent("remove_client", {
    command: "Remove the client.",
    depends_on: [{ step: addBank, on: "failure" }],
  });
  const removeAddress = agent("remove_address", { command: "Remove the address.", depends_on: [removeClient] });
  const removeAddressAlone = agent("remove_address_alone", {
    command: "Remove the address.",
    depends_on: [{ step: addClient, on: "failure" }],
  });
  fail(
    "give_up",
    { code: "account_not_opened", message: `${args.account} was not opened.` },
    { depends_on: [removeAddress, removeAddressAlone] },
  );
});
