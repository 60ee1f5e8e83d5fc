/** Returns those with the given names, or all for no names; ends the process for an unknown name. */
export function choose<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.find((name) => all.every((one) => one.name !== name));
  if (unknown !== undefined) {
    console.error(`there is no ${unknown}; there are ${all.map(({ name }) => name).join(", ")}`);
    Deno.exit(2);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
