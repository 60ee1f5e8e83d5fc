import { Refusal } from "../model/refusal.ts";
import { type Given, UsageError } from "./_options.ts";

/** Returns the value of a flag that has to be given; throws a {@linkcode UsageError} if not. */
export function requiredText(given: Given, name: string): string {
  const text = given.text(name);
  if (text === undefined) throw new UsageError(`--${name} is required`);
  return text;
}

/** Returns what a parser of the model accepted; throws a {@linkcode UsageError} if nothing. */
export function accept<T>(name: string, value: T | Refusal): T {
  if (value instanceof Refusal) throw new UsageError(`${name} ${detailOf(value)}`);
  return value;
}

/** Returns why a value was refused, without what is said of forms, of which commands have none. */
export function detailOf({ detail }: Refusal): string {
  return detail.replace(/; in a form, .*/, "");
}

/** Reads a flag by a parser of the model; `undefined` if it wasn't given. */
export function optionalValue<T>(
  given: Given,
  name: string,
  parse: (text: string) => T | Refusal,
): T | undefined {
  const text = given.text(name);
  return text === undefined ? undefined : accept(`--${name}`, parse(text));
}

/** Reads a flag that is one of some words; `undefined` if it wasn't given. */
export function optionalChoice<T extends string>(
  given: Given,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = given.text(name);
  const choice = choices.find((other) => other === text);
  if (text !== undefined && choice === undefined) {
    const list = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
    throw new UsageError(`--${name} "${text}" is not ${list}`);
  }
  return choice;
}
