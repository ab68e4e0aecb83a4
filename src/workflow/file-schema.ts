import { z } from "zod";

const FILE = z
  .object({ name: z.string(), mime: z.string(), size: z.int(), sha256: z.string() })
  .meta({ format: "file" });

/** Schema of an arg, input or output that is a file: `z.object({ report: file() })`. */
export function file(): typeof FILE {
  return FILE;
}
