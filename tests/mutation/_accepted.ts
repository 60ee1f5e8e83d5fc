/** A mutant that may live. */
export interface AcceptedMutant {
  readonly file: string;
  /** The text that is broken. */
  readonly source: string;
  /** What stands in its place; absent: whatever does. */
  readonly replacement?: string;
  /** Why no test notices it, and none has to. */
  readonly why: string;
}

/** A text, or a text and what stands in its place. */
type Broken = string | readonly [source: string, replacement: string];

const LENGTH_OF_AN_ID = "the length of an identifier that is made up is no promise";
const FOR_PEOPLE = "a word more or less in a text for people";
const SHORT_CUT = "a short cut: the long way comes to the same";
const SAME = "it comes to the same";
const HOW_MUCH = "how much is kept or done at a time, and how soon, is no promise";
const POWER_CUT = "it takes a power cut to notice";
const OLDER_DENO = "it takes a version of Deno that the tests don't run on to notice";
const WINDOWS = "it takes Windows to notice";

function accept(file: string, why: string, ...broken: readonly Broken[]): AcceptedMutant[] {
  return broken.map((one) =>
    typeof one === "string"
      ? { file, source: one, why }
      : { file, source: one[0], replacement: one[1], why }
  );
}

/** All mutants that may live. */
export const ACCEPTED: readonly AcceptedMutant[] = [
  ...accept("model/api_key.ts", LENGTH_OF_AN_ID, "16"),
  ...accept("model/api_key.ts", FOR_PEOPLE, "40", "0", "unknown === undefined"),
  ...accept("model/board.ts", LENGTH_OF_AN_ID, "16"),
  ...accept("model/email_address.ts", FOR_PEOPLE, ["<", "<="]),
  // Lines are compared with one another, and keys are as different as before.
  ...accept("model/_markdown/blocks.ts", SAME, "0"),
  ...accept("model/_markdown/emphasis.ts", SAME, ["%", "*"]),
  ...accept("model/text.ts", SHORT_CUT, [">", ">="], ["<=", "<"]),
  // Where no offset is given, any that may be given will do.
  ...accept("model/time.ts", SAME, "0"),
  // No answer is as little a success as any status below 200.
  ...accept("model/webhook_retry.ts", SAME, ["0", "(0 + 1)"]),
  // Whether a key that nobody else sees may be exported.
  ...accept("model/webhook_signature.ts", SAME, ["false", "true"]),

  ...accept("delivery/post_webhook.ts", HOW_MUCH, "15_000", "clearTimeout(timer);"),
  ...accept("delivery/post_webhook.ts", OLDER_DENO, "response.destroy();"),
  // What a function comes to that nobody asks.
  ...accept(
    "delivery/post_webhook.ts",
    SAME,
    ...["fail(`no answer within ${timeoutMs / 1_000} s`)"],
    ...["fail(`the host cannot be resolved${codeOf(error)}`)"],
  ),

  // A body that is waited for with a timer, or without, is the same in the end.
  ...accept(
    "routes/_body.ts",
    SHORT_CUT,
    ...["4", "0", "reading.content.then((content) => arrived = content, () => {});"],
    ...["arrived = content", "turn < EAGER_TURNS && arrived === undefined", "await undefined;"],
  ),
  ...accept("routes/_body.ts", SAME, "void reader.cancel().catch(() => {})"),
  ...accept("routes/_credentials.ts", HOW_MUCH, "1_000"),
  ...accept("routes/_credentials.ts", SHORT_CUT, "known === undefined"),

  ...accept("routes/_rate_limit.ts", HOW_MUCH, "10_000"),
  // All but the first of the parts are left alone.
  ...accept("routes/_router.ts", SHORT_CUT, "1"),
  ...accept("routes/boards.ts", HOW_MUCH, "100", "0"),
  ...accept("routes/boards.ts", SHORT_CUT, "representations.set(board, representation);"),
  ...["boards", "health", "keys", "subscriptions"].flatMap((name) =>
    accept(`routes/${name}.ts`, FOR_PEOPLE, ["+", "-"])
  ),
  // A call whose value nobody takes.
  ...accept(
    "routes/keys.ts",
    SAME,
    'errors.push({ field, code: "invalid_value", detail: `${field} ${reason}` })',
  ),

  // A shell shows that for a process that has ended by the signal itself, whatever stands here.
  ...accept("commands/_signals.ts", SAME, "128", "2", ["+", "-"]),
  ...accept("commands/_signals.ts", HOW_MUCH, "1_000"),
  ...accept("commands/_signals.ts", SAME, "Deno.exit(1)"),
  // The process ends then, by whichever of its listeners.
  ...accept("commands/_signals.ts", SAME, "listening--;", "unlisten();"),
  // Which thread gets a signal first is chance.
  ...accept(
    "commands/_signals.ts",
    SHORT_CUT,
    "await new Promise((resolve) => setTimeout(resolve, SIGNAL_PATIENCE_MS));",
  ),

  ...accept(
    "commands/_io.ts",
    HOW_MUCH,
    ...["5", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);"],
  ),
  ...accept("commands/_storage.ts", HOW_MUCH, "10_000"),
  ...accept("commands/_transfer/input.ts", HOW_MUCH, "65_536"),
  ...accept("commands/_transfer/input.ts", SAME, "void reader.cancel().catch(() => {})"),
  // The first look asks, or the second.
  ...accept("commands/_accepting.ts", HOW_MUCH, "1_000", "0"),
  // Arrow functions whose values nobody takes.
  ...accept("commands/_accepting.ts", SAME, "accepted++", "requests++"),
  ...accept(
    "commands/_log.ts",
    SAME,
    "json(level, { ...fields, durationMs: round(fields.durationMs), error: describe(error) })",
    'json("info", { message, ...fields })',
    'json("warn", { message })',
    "write(`${message}\\n`)",
    "write(`boardcast: ${message}\\n`)",
  ),
  ...accept("commands/serve.ts", HOW_MUCH, "7_000", "2_000"),
  // An arrow function whose value nobody takes.
  ...accept("commands/serve.ts", SAME, "end.resolve(LOST_STATUS)"),
  ...accept("commands/serve.ts", OLDER_DENO, ["8", "(8 + 1)"]),
  ...accept("commands/_first_key.ts", HOW_MUCH, "1_000"),
  ...accept("commands/_first_key.ts", SAME, "return false;"),
  ...accept("commands/_standstill.ts", HOW_MUCH, "250"),
  ...accept("commands/_listener.ts", HOW_MUCH, "1_000", "50", "100", "60_000"),
  ...accept(
    "commands/_listener.ts",
    OLDER_DENO,
    "/^2\\.[0-8]\\./",
    "forbidCompression(response);",
    'headers.set("Cache-Control", `${headers.get("cache-control")}, no-transform`);',
  ),
  ...accept("commands/_listener.ts", HOW_MUCH, ["<", "<="]),
  // Arrow functions whose values nobody takes.
  ...accept(
    "commands/_listener.ts",
    SAME,
    "onIdle = resolve",
    "setTimeout(resolve, WRITE_GRACE_MS)",
  ),
  // It takes a body of two lengths to notice, which Deno refuses by itself.
  ...accept("commands/_listener.ts", SAME, ["&&", "||"]),
  ...accept("commands/_node_listener.ts", HOW_MUCH, "16", "1_000", "15_000", "4", "/", "0"),
  // One request more or less that waits for its turn.
  ...accept("commands/_node_listener.ts", HOW_MUCH, [">", ">="]),
  // A header more, of the name "undefined".
  ...accept("commands/_node_listener.ts", SAME, ["<", "<="]),
  // Arrow functions whose values nobody takes.
  ...accept("commands/_node_listener.ts", SAME, "outgoing.destroy()", "resolve()"),
  ...accept("commands/_node_listener.ts", SAME, "open.delete(socket)"),

  // Calls that resolve to nothing.
  ...accept(
    "adapters/_tables.ts",
    SAME,
    "tables.apiKeys.create(key)",
    "tables.apiKeys.touch(keyId, minute)",
    "return Promise.resolve();",
  ),
  // A key that expires when the overlap ends, cut or not.
  ...accept("adapters/_tables.ts", SAME, ["<", "<="]),
  ...accept(
    "adapters/_sorted_keys.ts",
    HOW_MUCH,
    ...["512", "2", "&&", "return keys[keys.length - 1];", "-", "1"],
  ),
  // Sets of which no key is marked are never asked for the marked ones.
  ...accept("adapters/_sorted_keys.ts", SAME, "false"),
  // The key is not yet in the set; a block may be split a key sooner.
  ...accept("adapters/_sorted_keys.ts", SAME, [">", ">="]),

  ...accept("adapters/file.ts", HOW_MUCH, "4"),
  ...accept(
    "adapters/file.ts",
    WINDOWS,
    'throw new StorageError("unavailable", "Cannot use file storage on Windows, except in Deno");',
  ),
  ...accept("adapters/_file/capture.ts", HOW_MUCH, "500"),
  // Sorts also what is in order.
  ...accept("adapters/_file/capture.ts", SHORT_CUT, ["true", "false"]),
  // Asks again at once, instead of after a while.
  ...accept(
    "adapters/_file/clock.ts",
    HOW_MUCH,
    "new Promise((resolve) => setTimeout(resolve, delayMs))",
  ),
  ...accept("adapters/_file/compaction.ts", HOW_MUCH, "500", "1", "32", "30_000", "256", "8", "0"),
  ...accept("adapters/_file/compaction.ts", HOW_MUCH, "20", "10", "capture = undefined;"),
  // What is not copied and synced beforehand is at last.
  ...accept(
    "adapters/_file/compaction.ts",
    SHORT_CUT,
    "pass < COPY_MAX_PASSES",
    "journal.durableTail.offset - copied <= LAST_COPY_BYTES",
    "await copyUntil(journal.durableTail.offset);",
    "copied = end;",
    "await next.file.sync();",
  ),
  // An arrow function whose value nobody takes.
  ...accept("adapters/_file/compaction.ts", SAME, "capture?.note(change)"),
  // A table with a spare place at its end, and zeros where zeros are at first.
  ...accept("adapters/_file/crc32c.ts", SAME, "256", "0"),
  // What the directory's sync is for shows when a real machine loses its power; the simulated disk
  // shows that it is asked for.
  ...accept(
    "adapters/_file/disk.ts",
    POWER_CUT,
    "complete((done) => fs.fsync(fd, done))",
    'process.platform === "win32"',
  ),
  // Arrow functions whose value nobody takes.
  ...accept(
    "adapters/_file/disk.ts",
    SAME,
    "fs.open(path, FLAGS[mode], 0o600, done)",
    'fs.open(path, "r", done)',
    "fs.stat(directory, done)",
  ),
  // Inodes that a number can't tell apart are beyond any disk of today.
  ...accept("adapters/_file/disk.ts", SAME, ["true", "false"]),
  // The caller falls back to that very number.
  ...accept("adapters/_file/file_storage.ts", SAME, "return seq;"),
  // A call that returns nothing.
  ...accept("adapters/_file/file_storage.ts", SAME, "tables.apiKeys.create(key)"),
  // A byte more, or one later, of what there is not; and asking the system again for what is known.
  ...accept("adapters/_file/folder.ts", SAME, "0", ["written !== file", "true"]),
  // An empty list more in a record.
  ...accept("adapters/_file/format.ts", SAME, [">", ">="]),
  ...accept("adapters/_file/holder.ts", HOW_MUCH, "24"),
  ...accept("adapters/_file/io.ts", HOW_MUCH, "256", "1"),
  // A larger buffer than what is copied needs.
  ...accept("adapters/_file/io.ts", HOW_MUCH, ["-", "+"]),
  ...accept("adapters/_file/journal.ts", HOW_MUCH, "1_024", ["<", "<="]),
  // Without a header nothing is kept, wherever it would start.
  ...accept("adapters/_file/journal_reader.ts", SAME, "0"),
  // The line has the wrong checksum as well; this one tells the cause.
  ...accept("adapters/_file/journal_reader.ts", FOR_PEOPLE, "throw damaged(name, 0, { cause });"),
  ...accept("adapters/_file/lock.ts", HOW_MUCH, "250", "20", "100"),
  ...accept("adapters/_file/lock.ts", LENGTH_OF_AN_ID, "16"),
  // Heartbeats that overlap differ in their number alone.
  ...accept("adapters/_file/lock.ts", SAME, "await beating;"),
  // Set before it is looked at.
  ...accept("adapters/_file/lock.ts", SAME, "0"),
  // A seal more.
  ...accept("adapters/_file/journal.ts", SAME, ["true", "false"]),
  ...accept("adapters/_file/snapshot.ts", HOW_MUCH, "2", "1", "0"),
  // A file with the right checksum has no record there.
  ...accept("adapters/_file/snapshot.ts", SAME, "table = undefined;"),
  // After a failure nothing is written any more.
  ...accept("adapters/_file/journal.ts", SAME, "moving = undefined;"),

  ...accept("adapters/postgres.ts", HOW_MUCH, "1_500", "60_000", "2_000_000_000", "1"),
  // Parameters are taken by their order; their numbers are for the reader.
  ...accept("adapters/_postgres/api_keys.ts", SAME, "5", "1", "3"),
  ...accept("adapters/_postgres/boards.ts", SAME, "6", "1", "0"),
  ...accept("adapters/_postgres/database.ts", HOW_MUCH, "500", "100", "50"),
  // A call that resolves to nothing, and two whose values nobody takes.
  ...accept(
    "adapters/_postgres/database.ts",
    SAME,
    "Promise.resolve()",
    "Promise.resolve(canceller(own)).catch(() => {})",
    "abandoned.add({ pool, pid, asked: new Set() })",
  ),
  // By then calls have settled; their sockets are let go of a moment later.
  ...accept(
    "adapters/_postgres/database.ts",
    HOW_MUCH,
    "ending.add(end);",
    "void ending.delete(end)",
  ),
  ...accept("adapters/_postgres/database.ts", SHORT_CUT, "pausedUntilMs = 0;"),
  ...accept("adapters/_postgres/batch.ts", HOW_MUCH, "500"),
  // As good as false.
  ...accept("adapters/_postgres/batch.ts", SAME, ["return false;", "return;"]),
  ...accept("adapters/_postgres/key_cache.ts", HOW_MUCH, "10_000"),
  // Only whether it has changed is looked at.
  ...accept("adapters/_postgres/key_cache.ts", SAME, "0"),
  // An arrow function whose value nobody takes.
  ...accept(
    "adapters/_postgres/order.ts",
    SAME,
    "start(turn, call.expired ? skip<T> : operation).then(resolve, reject)",
  ),
  ...accept("adapters/_postgres/put.ts", HOW_MUCH, "20", "0"),
  ...accept("adapters/_postgres/same_records.ts", HOW_MUCH, "10_000"),
  // Without it, the statement of a limit is prepared each time.
  ...accept("adapters/_postgres/statement.ts", SHORT_CUT, "statements.set(end, statement);"),
  ...accept("adapters/_postgres/pool.ts", HOW_MUCH, "1_800", "0.1", "60", "100", "0", "1"),
  ...accept("adapters/_postgres/pool.ts", HOW_MUCH, "RETRY_DELAY_S"),
  // A connection is made a moment later than it could be.
  ...accept(
    "adapters/_postgres/pool.ts",
    HOW_MUCH,
    ["isLost && isRecent && sql.options.ssl", "true"],
  ),
  // The driver asks for types that are not used.
  ...accept("adapters/_postgres/pool.ts", SHORT_CUT, "false"),
  // The end of the pool closes what is left, and a timer keeps nothing open for longer than that.
  ...accept("adapters/_postgres/pool.ts", HOW_MUCH, "socket.destroy();", "clearTimeout(timer);"),
  ...accept("adapters/_postgres/pool.ts", SAME, "timer = setTimeout(resolve, graceMs)"),
  ...accept(
    "adapters/_postgres/pool.ts",
    "an error after the driver has taken its listeners away takes an unlucky moment",
    'socket.on("error", () => {});',
  ),
  ...accept(
    "adapters/_postgres/pool.ts",
    "a connection that the driver had put off until after the end takes an unlucky moment",
    "ended = true;",
    'throw new Error("The pool has ended");',
  ),
  ...accept(
    "adapters/_postgres/pool.ts",
    "localhost is what is checked without it, and the one name that every machine has",
    "Object.assign(socket, { host, port });",
  ),
];
