import { nearest } from "./nearest.ts";

/** Throws a `TypeError` that names the first option that is not known, and the one that was meant. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === undefined
    ? `the options are ${known.join(", ")}`
    : `did you mean ${meant}?`;
  throw new TypeError(`Cannot use the option "${unknown}": there is none; ${hint}`);
}

/** Throws a `TypeError` that names the first of some options that is given, and no function. */
export function checkFunctions<O extends object>(
  options: O,
  names: readonly (keyof O & string)[],
): void {
  const wrong = names.find((name) => !["undefined", "function"].includes(typeof options[name]));
  if (wrong !== undefined) throw new TypeError(`Cannot use ${wrong}: give a function`);
}
