import { toLiteral } from "./sql.ts";

/**
 * The table of numbers. How many records are in an index is the sum of its shards, so that two
 * processes seldom wait for each other.
 */
export const COUNTS_TABLE = `create table if not exists $schema.counts (
  name text collate "C",
  shard integer,
  value bigint not null,
  primary key (name, shard)
) with (fillfactor = 20)`;

/**
 * Returns the statements that count the records of a table in its indexes, given as conditions by
 * name. A trigger keeps the numbers, whoever changes the table.
 */
export function countingOf(
  table: string,
  counts: Readonly<Record<string, string>>,
): readonly string[] {
  const names = Object.keys(counts);
  const sums = Object.values(counts).map((condition) => `count(*) filter (where ${condition})`)
    .join(",\n      ");
  const zeros = names.map(() => "0").join(", ");
  const changes = names.map((name, at) =>
    `(${toLiteral(name)}, added[${at + 1}] - removed[${at + 1}])`
  ).join(",\n        ");
  const belong = `name in (${names.map(toLiteral).join(", ")})`;
  const triggers = [
    ["inserted", "insert", "referencing new table as new_rows"],
    ["updated", "update", "referencing old table as old_rows new table as new_rows"],
    ["deleted", "delete", "referencing old table as old_rows"],
    ["truncated", "truncate", ""],
  ];
  return [
    `create or replace function $schema.count_${table}() returns trigger language plpgsql as $do$
  declare
    added bigint[] := '{${zeros}}';
    removed bigint[] := '{${zeros}}';
  begin
    if tg_op = 'TRUNCATE' then
      delete from $schema.counts where ${belong};
      return null;
    end if;
    if tg_op <> 'DELETE' then
      select array[
      ${sums}
      ] into added from new_rows;
    end if;
    if tg_op <> 'INSERT' then
      select array[
      ${sums}
      ] into removed from old_rows;
    end if;
    insert into $schema.counts as c (name, shard, value)
      select name, pg_backend_pid() % 64, value
        from (values
        ${changes}
        ) as changes (name, value)
        where value <> 0
      on conflict (name, shard) do update set value = c.value + excluded.value;
    return null;
  end
$do$`,
    ...triggers.flatMap(([name, event, tables]) => [
      `drop trigger if exists count_${name} on $schema."${table}"`,
      `create trigger count_${name} after ${event} on $schema."${table}"
  ${tables} for each statement execute function $schema.count_${table}()`,
    ]),
    `delete from $schema.counts where ${belong}`,
    ...Object.entries(counts).map(([name, condition]) =>
      `insert into $schema.counts (name, shard, value)
  select ${toLiteral(name)}, 0, count(*) from $schema."${table}" where ${condition}`
    ),
  ];
}
