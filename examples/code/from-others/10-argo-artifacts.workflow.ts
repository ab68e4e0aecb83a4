/** Shows: a file that one step makes and the next one reads. */
import { z } from "zod";
import { file, process, typed, workflow } from "sluice/workflow";

export default workflow("artifact-passing", {}, () => {
  const draw = process("draw", { command: "draw-message", outputs: z.object({ message: file() }) });
  process("print", { command: "print-message", inputs: { message: typed(draw.message, file()) } });
});
