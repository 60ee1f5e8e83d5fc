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

const LENGTH_OF_AN_ID = "the length of an identifier that is made up is no promise";
const FOR_PEOPLE = "a word more or less in a text for people";
const SHORT_CUT = "a short cut: the long way comes to the same";
const SAME = "it comes to the same";
const HOW_MUCH = "how much is kept or done at a time is no promise";

/** All mutants that may live. */
export const ACCEPTED: readonly AcceptedMutant[] = [
  { file: "model/api_key.ts", source: "16", why: LENGTH_OF_AN_ID },
  { file: "model/api_key.ts", source: "40", why: FOR_PEOPLE },
  { file: "model/api_key.ts", source: "0", why: FOR_PEOPLE },
  { file: "model/api_key.ts", source: "+", why: FOR_PEOPLE },
  { file: "model/api_key.ts", source: "unknown === undefined", why: FOR_PEOPLE },
  { file: "model/board.ts", source: "16", why: LENGTH_OF_AN_ID },
  { file: "model/email_address.ts", source: "<", replacement: "<=", why: FOR_PEOPLE },
  { file: "model/text.ts", source: ">", replacement: ">=", why: SHORT_CUT },
  { file: "model/text.ts", source: "<=", replacement: "<", why: SHORT_CUT },
  // Where no offset is given, any that may be given will do.
  { file: "model/time.ts", source: "0", why: SAME },
  { file: "routes/_credentials.ts", source: "1_000", why: HOW_MUCH },
  { file: "routes/_credentials.ts", source: "known === undefined", why: SHORT_CUT },
  // Without a header there is no token, whatever text is looked at.
  { file: "routes/_credentials.ts", source: '""', why: SAME },
  // Calls that resolve to nothing.
  { file: "adapters/memory.ts", source: "tables.createKey(key)", why: SAME },
  { file: "adapters/memory.ts", source: "tables.touchKey(keyId, minute)", why: SAME },
  { file: "adapters/memory.ts", source: "return Promise.resolve();", why: SAME },
  // A key that expires when the overlap ends, cut or not.
  { file: "adapters/_tables.ts", source: "<", replacement: "<=", why: SAME },
  { file: "adapters/_ordered.ts", source: "512", why: HOW_MUCH },
  { file: "adapters/_ordered.ts", source: "2", why: HOW_MUCH },
  // Sets of which no key is marked are never asked for the marked ones.
  { file: "adapters/_ordered.ts", source: "false", why: SAME },
  { file: "adapters/_ordered.ts", source: "&&", why: HOW_MUCH },
  { file: "adapters/_ordered.ts", source: "return keys[keys.length - 1];", why: HOW_MUCH },
  { file: "adapters/_ordered.ts", source: "-", why: HOW_MUCH },
  { file: "adapters/_ordered.ts", source: "1", why: HOW_MUCH },
  { file: "adapters/file.ts", source: "4", why: HOW_MUCH },
  { file: "adapters/_file/capture.ts", source: "500", why: HOW_MUCH },
  // Sorts also what is in order.
  { file: "adapters/_file/capture.ts", source: "true", replacement: "false", why: SHORT_CUT },
  // Asks again at once, instead of after a while.
  {
    file: "adapters/_file/clock.ts",
    source: "new Promise((resolve) => setTimeout(resolve, delayMs))",
    why: HOW_MUCH,
  },
  { file: "adapters/_file/compaction.ts", source: "500", why: HOW_MUCH },
  { file: "adapters/_file/compaction.ts", source: "1", why: HOW_MUCH },
  { file: "adapters/_file/compaction.ts", source: "32", why: HOW_MUCH },
  { file: "adapters/_file/compaction.ts", source: "30_000", why: HOW_MUCH },
  { file: "adapters/_file/compaction.ts", source: "256", why: HOW_MUCH },
  { file: "adapters/_file/compaction.ts", source: "8", why: HOW_MUCH },
  {
    file: "adapters/_file/compaction.ts",
    source: "lastDurationMs = clock.elapsedMs() - startedMs;",
    why: HOW_MUCH,
  },
  // A table with a spare place at its end, and zeros where zeros are at first.
  { file: "adapters/_file/crc32c.ts", source: "256", why: SAME },
  { file: "adapters/_file/crc32c.ts", source: "0", why: SAME },
  // What the directory's sync is for shows when a real machine loses its power; the simulated disk
  // shows that it is asked for.
  {
    file: "adapters/_file/disk.ts",
    source: "await complete((done) => fs.fsync(fd, done));",
    why: "it takes a power cut to notice",
  },
  {
    file: "adapters/_file/disk.ts",
    source: 'process.platform === "win32"',
    why: "it takes a power cut to notice",
  },
  // The caller falls back to that very number.
  { file: "adapters/_file/file_storage.ts", source: "return seq;", why: SAME },
  // Compaction and journal wait for it as well.
  {
    file: "adapters/_file/file_storage.ts",
    source: "await journal.durable(journal.lastSeq).catch(() => {});",
    why: SAME,
  },
  { file: "adapters/_file/folder.ts", source: "4_096", why: HOW_MUCH },
  // What is not copied beforehand is copied at last.
  {
    file: "adapters/_file/compaction.ts",
    source: "await copyUntil(journal.file, journal.durableTail.offset);",
    why: SHORT_CUT,
  },
  { file: "adapters/_file/compaction.ts", source: "copied = end;", why: SHORT_CUT },
  // An empty list more in a record.
  { file: "adapters/_file/frames.ts", source: ">", replacement: ">=", why: SAME },
  { file: "adapters/_file/io.ts", source: "256", why: HOW_MUCH },
  { file: "adapters/_file/io.ts", source: "1", why: HOW_MUCH },
  { file: "adapters/_file/journal.ts", source: "1_024", why: HOW_MUCH },
  // A seal more.
  { file: "adapters/_file/journal.ts", source: "true", replacement: "false", why: SAME },
  // After a failure nothing is written any more.
  { file: "adapters/_file/journal.ts", source: "batches = [];", why: SAME },
  { file: "adapters/_file/journal.ts", source: "moving = undefined;", why: SAME },
  // The key is not yet in the set; a block may be split a key sooner.
  { file: "adapters/_ordered.ts", source: ">", replacement: ">=", why: SAME },
];
