/** Allowed values of command options, and how they are parsed. */
import { type Command, InvalidArgumentError, Option } from "commander";

export function addChoice(command: Command, flags: string, about: string, choices: readonly string[]): Command {
  return command.addOption(new Option(flags, about).choices(choices));
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return value;
}

export function countFromZero(text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return value;
}

export function pageSize(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}$/.test(text) || value < 1 || value > 100)
    throw new InvalidArgumentError("It must be a whole number from 1 to 100.");
  return value;
}

export function dollars(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > 1_000_000_000)
    throw new InvalidArgumentError("It must be an amount in US dollars, such as 0.25.");
  return value;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(value > 0) || value > 30 * 86_400) {
    throw new InvalidArgumentError("It must be a number of seconds above 0, at most 30 days.");
  }
  return value;
}
