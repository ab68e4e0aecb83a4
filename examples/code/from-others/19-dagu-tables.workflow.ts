/** Shows: a graph of many steps, with one that runs whatever happens. */
import { agent, finallyDo, set, workflow } from "sluice/workflow";

export default workflow("load-tables", {}, () => {
  const begin = agent("begin", { command: "Prepare the load." });
  const copyFirst = agent("copy_first", { command: "Copy the first table.", depends_on: [begin] });
  const updateFirst = agent("update_first", { command: "Update the copy.", depends_on: [copyFirst] });
  const checkFirst = agent("check_first", { command: "Check the copy.", depends_on: [updateFirst] });
  const loadSecond = agent("load_second", { command: "Load the second table.", depends_on: [begin] });
  const updateSecond = agent("update_second", { command: "Update it.", depends_on: [loadSecond] });
  const lookForFile = agent("look_for_file", { command: "Look whether the file is there." });
  const copyFile = agent("copy_file", { command: "Copy it.", depends_on: [lookForFile] });
  const checkFile = agent("check_file", { command: "Check it.", depends_on: [copyFile] });
  const mergeStep = agent("merge", { command: "Merge all three.", depends_on: [checkFirst, updateSecond, checkFile] });
  const calculate = agent("calculate", { command: "Calculate.", depends_on: [mergeStep] });
  agent("report", { command: "Report.", depends_on: [calculate] });
  const reconcile = agent("reconcile", { command: "Reconcile.", depends_on: [calculate] });
  agent("clean", { command: "Clean up.", depends_on: [reconcile] });
  finallyDo(({ run }) => {
    set("finished", { text: `The load is ${run.outcome}.` });
  });
});
