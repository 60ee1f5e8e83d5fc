import { assert } from "@std/assert";

/** Checks each row of a table, and fails with the name of every row that does not hold. */
export async function forEachRow<const R>(
  rows: Iterable<R>,
  check: (row: R) => unknown,
): Promise<void> {
  const failures: string[] = [];
  let count = 0;
  for (const row of rows) {
    count++;
    try {
      await check(row);
    } catch (error) {
      const name = Deno.inspect(row, { strAbbreviateSize: 80, breakLength: Infinity }).slice(
        0,
        200,
      );
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  assert(count > 0, "The table has no rows");
  assert(
    failures.length === 0,
    `${failures.length} of ${count} rows fail:\n${failures.join("\n")}`,
  );
}
