/** Shows: WCP-39, critical section. Two blocks that may run side by side are never both inside, in this run or any other. */
import { z } from "zod";
import { add, agent, block, workflow } from "sluice/workflow";

export default workflow("critical-section", { args: z.object({ account: z.string().default("a-1") }) }, ({ args }) => {
  block(
    "deposit",
    () => {
      const readBeforeDeposit = agent("read_before_deposit", { command: "Read the balance." });
      agent("add", { command: `Add to ${readBeforeDeposit.stdout}` });
    },
    { concurrency: { key: add("account ", args.account), limit: 1 } },
  );
  block(
    "withdraw",
    () => {
      const readBeforeWithdrawal = agent("read_before_withdrawal", { command: "Read the balance." });
      agent("subtract", { command: `Subtract from ${readBeforeWithdrawal.stdout}` });
    },
    { concurrency: { key: add("account ", args.account), limit: 1 } },
  );
});
