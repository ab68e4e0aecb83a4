import { z } from "zod";
import { compilePattern } from "../../core/text/index.ts";

const MS_MAX = 24 * 3_600_000;
const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const ID_MAX = 4_294_967_294;

/**
 * Variables that make a program load foreign code or read foreign files, and those that the adapter sets itself. A
 * caller that can set one of them could run any code inside an allowed command.
 */
const REFUSED_VARIABLES =
  /^(?:NODE_.*|LD_.*|DYLD_.*|PYTHON.*|PATH|GIT_.*|npm_.*|BASH_.*|BASHOPTS|SHELLOPTS|ENV|IFS|PS4|PROMPT_COMMAND|CDPATH|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|MALLOC_.*|HOME|LANG|SLUICE_.*)$/i;

const plain = z.string().refine((text) => !text.includes("\0"), { error: "must hold no NUL" });
const id = z.number().int().min(1, "must not be 0: a command never runs as root by name").max(ID_MAX);

const command = z.strictObject({
  argv: z
    .array(plain)
    .min(1)
    .max(200)
    .refine(([file = ""]) => file.startsWith("/") || /^[^/\s]+$/.test(file), {
      error: "must begin with an absolute path or a plain name of a program",
    }),
  /** Names of environment variables of the Bridge that the command may see. */
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "is no name of an environment variable")
        .refine((name) => !REFUSED_VARIABLES.test(name), {
          error: "may not be handed on: it is set here, or it changes which code a program runs",
        }),
    )
    .max(100)
    .optional(),
  cwd: z
    .union([z.literal("temp"), plain.refine((path) => path.startsWith("/"), { error: "must be temp or absolute" })])
    .optional(),
  timeout_ms: z.number().int().positive().max(MS_MAX).optional(),
  /** Maximum size of stdout, and separately of stderr. */
  output_bytes_max: z.number().int().positive().max(OUTPUT_BYTES_MAX).optional(),
  memory_mb: z.number().int().min(16).max(1_048_576).optional(),
  cpu_seconds: z.number().int().positive().max(1_000_000).optional(),
  /** The system counts all processes of a user, so this limit is useful only with a separate `user`. */
  processes_max: z.number().int().positive().max(1_000_000).optional(),
  user: z.strictObject({ uid: id, gid: id }).optional(),
  input: z.enum(["stdin", "json"]).optional(),
  /** Rules for arguments from a definition. When absent, a definition can add no arguments. */
  args: z
    .strictObject({
      max: z.number().int().positive().max(100),
      /** Every argument must match this pattern from its first to its last character. */
      pattern: z.string().superRefine((text, context) => {
        const compiled = compilePattern(text);
        if (!compiled.ok) context.addIssue({ code: "custom", message: compiled.failure });
      }),
      /** When true, arguments may begin with a dash. */
      flags: z.boolean().optional(),
    })
    .optional(),
});
export type CommandConfig = z.infer<typeof command>;

export const configSchema = z.strictObject({
  commands: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, "must be letters, digits, -, _ and ."), command)
    .optional(),
});
export type ProcessConfig = z.infer<typeof configSchema>;
