/** A parameter of a statement; lists are written by `toArray`. */
export type Parameter = string | number | boolean | null;

/** A statement with its parameters left out, and the same object each time it is run. */
export type Statement = TemplateStringsArray;

/**
 * Makes a statement of SQL text in which the parameters $1, $2, … stand in ascending order,
 * each of them once. Throws `RangeError` if they don't: each call would store values in wrong columns.
 */
export function toStatement(text: string): Statement {
  for (const [i, [, number]] of [...text.matchAll(/\$(\d+)/g)].entries()) {
    if (Number(number) !== i + 1) {
      throw new RangeError(`Cannot make a statement: $${number} stands where $${i + 1} has to`);
    }
  }
  const parts = text.split(/\$\d+/);
  return Object.freeze(Object.assign([...parts], { raw: Object.freeze([...parts]) }));
}

/**
 * Prepares listings from `select`, a query without its `where`, of what meets a condition and
 * follows the key $1. The limit and the condition are literals: with parameters, the server's
 * generic plan would read far more than one page.
 */
export function createListing(
  select: string,
  key: string,
): (limit: number, condition?: string) => Statement {
  const statements = new Map<string, Statement>();
  return (limit, condition = "true") => {
    const end = `${condition} and ${key} > $1 order by ${key} limit ${Math.floor(limit)}`;
    const statement = statements.get(end) ?? toStatement(`${select} where ${end}`);
    statements.set(end, statement);
    return statement;
  };
}
