import type { Board } from "../../model/board.ts";
import { createFinder } from "./batch.ts";
import type { Calls } from "./calls.ts";
import { createOrder } from "./order.ts";
import type { Database } from "./database.ts";
import { createListing, type Parameter, type Statement, toStatement } from "./statement.ts";
import {
  msOf,
  readNullableText,
  readText,
  readTime,
  type Row,
  timeOf,
  toArray,
  toMs,
} from "./values.ts";
import { createReadSame } from "./same_records.ts";
import type { BoardStorage } from "../storage.ts";

/** What is selected of a board. */
export const COLUMNS = "board_id, name, description, url, " +
  `${msOf("created_at")}, ${msOf("updated_at")}`;

/** The SQL that compares a board in every field with parameters, the first of which has a number. */
function isStill(first: number): string {
  const [id, name, description, url, created, updated] = [0, 1, 2, 3, 4, 5]
    .map((i) => `$${first + i}`);
  return `board_id = ${id} and name = ${name} and description is not distinct from ${description}
    and url is not distinct from ${url} and created_at = ${timeOf(created)}
    and updated_at = ${timeOf(updated)}`;
}

/** Boards in the table `boards`; those read at the same time are read by one statement. */
export function createBoardStorage(database: Database, schema: string, calls: Calls): BoardStorage {
  const table = `${schema}.boards`;
  const order = createOrder();
  const select = toStatement(`select ${COLUMNS} from ${table} where board_id = any($1::text[])`);
  const list = createListing(`select ${COLUMNS} from ${table}`, "board_id");
  const insert = toStatement(
    `insert into ${table} (board_id, name, description, url, created_at, updated_at)
     values ($1, $2, $3, $4, ${timeOf("$5")}, ${timeOf("$6")})
     on conflict (board_id) do nothing returning true`,
  );
  const update = toStatement(
    `update ${table} set name = $1, description = $2, url = $3,
       created_at = ${timeOf("$4")}, updated_at = ${timeOf("$5")}
     where ${isStill(6)} returning true`,
  );
  const remove = toStatement(`delete from ${table} where ${isStill(1)} returning true`);

  const readSame = createReadSame(readBoard);
  const gets = createFinder(
    async (boardIds) => (await database.query(select, [toArray(boardIds)])).map(readSame),
    ({ boardId }) => boardId,
  );

  return {
    get: (boardId) =>
      calls.run((call) => order.run(boardId, "read", call, () => gets.add(call, boardId))),
    list: ({ after = "", limit }) =>
      calls.run(async () => (await database.query(list(limit), [after])).map(readBoard)),
    create: (board) => change(board.boardId, insert, toParameters(board)),
    replace: (current, next) =>
      change(current.boardId, update, [
        ...toParameters(next).slice(1),
        ...toParameters(current),
      ]),
    delete: (current) => change(current.boardId, remove, toParameters(current)),
  };

  function change(
    boardId: string,
    statement: Statement,
    parameters: readonly Parameter[],
  ): Promise<boolean> {
    return calls.run((call) =>
      order.run(
        boardId,
        "write",
        call,
        async () => (await database.query(statement, parameters)).length > 0,
      )
    );
  }
}

function toParameters(board: Board): readonly Parameter[] {
  const { boardId, name, description, url, createdAt, updatedAt } = board;
  return [boardId, name, description, url, toMs(createdAt), toMs(updatedAt)];
}

function readBoard(row: Row): Board {
  return Object.freeze({
    boardId: readText(row, 0),
    name: readText(row, 1),
    description: readNullableText(row, 2),
    url: readNullableText(row, 3),
    createdAt: readTime(row, 4),
    updatedAt: readTime(row, 5),
  });
}
