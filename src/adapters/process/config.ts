import { z } from "zod";
import { compilePattern } from "../../core/text/index.ts";

const MS_MAX = 24 * 3_600_000;
const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const ID_MAX = 4_294_967_294;

/**
 * Variables that make a program load code or read files of another's choice, and those set here. Who could set one
 * of them would run what he likes inside an allowed command.
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
  /** Names of variables of the Bridge that the command may see. */
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
  /** Of stdout, and of stderr. */
  output_bytes_max: z.number().int().positive().max(OUTPUT_BYTES_MAX).optional(),
  memory_mb: z.number().int().min(16).max(1_048_576).optional(),
  cpu_seconds: z.number().int().positive().max(1_000_000).optional(),
  /** Counted by the system over everything its user runs, so that it means little without a user of its own. */
  processes_max: z.number().int().positive().max(1_000_000).optional(),
  user: z.strictObject({ uid: id, gid: id }).optional(),
  input: z.enum(["stdin", "json"]).optional(),
  /** Without it a definition can add nothing to the command line. */
  args: z
    .strictObject({
      max: z.number().int().positive().max(100),
      /** Every argument must match it from its first to its last character. */
      pattern: z.string().superRefine((text, context) => {
        const compiled = compilePattern(text);
        if (!compiled.ok) context.addIssue({ code: "custom", message: compiled.failure });
      }),
      /** Only then may an argument begin with a dash. */
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
