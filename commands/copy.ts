import type { Storage } from "../adapters/storage.ts";
import type { Command, Invocation } from "./_command.ts";
import type { Terminal } from "./_io.ts";
import { readPages } from "./_listing.ts";
import { UsageError } from "./_options.ts";
import { interruptible } from "./_signals.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "./_storage.ts";
import { createProgress } from "./_transfer/progress.ts";
import { requiredText } from "./_values.ts";

const FROM = "from";
const RETRY = "the copy is incomplete: empty --storage and copy again";
const CHANGED = "something else changes --storage";

/** How many records were copied. */
interface CopyCounts {
  boards: number;
  subscribers: number;
  keys: number;
}

/** Copies everything into another storage. */
export const copyCommand: Command = {
  name: "copy",
  summary: "Copy all records from another storage",
  options: [
    {
      name: FROM,
      value: "file:DIR | postgres://…",
      required: true,
      description: "The storage to copy, whose records stay as they are.",
    },
    ...LASTING_STORAGE_OPTIONS.map((option) =>
      option.name === "storage" ? { ...option, description: "The storage to copy into." } : option
    ),
  ],
  details: [
    "The records arrive with all their times, and API keys go on working. The storage that they are " +
    "copied into must be empty. Stop the servers on both first: what they change meanwhile would be " +
    "missing, or end the copy.",
  ],
  example: "boardcast copy --from file:./data --storage postgres://localhost/boardcast",
  run: copy,
};

async function copy(invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const [from, to] = [requiredText(given, FROM), given.text("storage") ?? ""];
  if (await resolveFolder(from) === await resolveFolder(to)) {
    throw new UsageError(`--storage is the same as --${FROM}`);
  }
  const counts = await withStorage(invocation, async (source) => {
    if (await isEmpty(source)) throw new Error(`--${FROM} holds nothing: is it the right one?`);
    return await withStorage(invocation, (target) => copyInto(source, target, terminal));
  }, { flag: FROM, mustExist: true, mayMigrate: false });
  const [boards, subscribers, keys] = Object.entries(counts).map(([nouns, count]) =>
    `${count} ${count === 1 ? nouns.slice(0, -1) : nouns}`
  );
  terminal.err(`Copied ${boards}, ${subscribers} and ${keys}.\n`);
  return 0;
}

/** Returns the one path of a folder that has several; any other storage by the name it has. */
async function resolveFolder(url: string): Promise<string> {
  if (!url.startsWith("file:")) return url;
  const folder = url.slice("file:".length);
  return await Deno.realPath(folder).catch(() => folder);
}

async function isEmpty({ boards, subscriptions, apiKeys }: Storage): Promise<boolean> {
  for (const { list } of [boards, subscriptions, apiKeys]) {
    if ((await list({ limit: 1 })).length > 0) return false;
  }
  return true;
}

async function copyInto(
  source: Storage,
  target: Storage,
  { err, errColumns }: Terminal,
): Promise<CopyCounts> {
  if (!await isEmpty(target)) {
    throw new Error(
      "--storage is not empty: name one that holds nothing, or empty it if a copy into it was " +
        "cut short",
    );
  }
  const counts: CopyCounts = { boards: 0, subscribers: 0, keys: 0 };
  const progress = createProgress({ write: err, columns: errColumns });
  const interruption = new AbortController();
  function onStep(): void {
    interruption.signal.throwIfAborted();
    progress.update({ rows: counts.subscribers });
  }
  try {
    await interruptible(interruption, () => copyAll(source, target, { counts, onStep }));
    return counts;
  } catch (cause) {
    throw new Error(`${(cause as Error).message}; ${RETRY}`, { cause });
  } finally {
    progress.clear();
  }
}

async function copyAll(
  source: Storage,
  target: Storage,
  { counts, onStep }: { readonly counts: CopyCounts; readonly onStep: () => void },
): Promise<void> {
  /** Passes pages on, and counts each once it is copied. */
  async function* counted<T>(
    noun: keyof CopyCounts,
    pages: AsyncIterable<readonly T[]>,
  ): AsyncGenerator<readonly T[]> {
    for await (const page of pages) {
      yield page;
      counts[noun] += page.length;
      onStep();
    }
  }

  const boards = readPages(source.boards, ({ boardId }) => boardId);
  const subscribers = readPages(source.subscriptions, ({ userEmail }) => userEmail);
  const keys = readPages(source.apiKeys, ({ keyId }) => keyId);
  for await (const page of counted("boards", boards)) {
    const created = await Promise.all(page.map((board) => target.boards.create(board)));
    if (created.includes(false)) throw new Error(CHANGED);
  }
  for await (const page of counted("subscribers", subscribers)) {
    const outcomes = await Promise.all(
      page.map(({ subscribed, updatedAt, ...same }) =>
        target.subscriptions.put({
          ...same,
          subscribe: subscribed,
          at: updatedAt,
          // Somebody may opt out there while the copy is made.
          keepUnsubscribed: true,
        })
      ),
    );
    if (outcomes.some(({ previous }) => previous !== undefined)) throw new Error(CHANGED);
  }
  // Last, so that a server on an incomplete copy lets no app in.
  for await (const page of counted("keys", keys)) {
    for (const key of page) await target.apiKeys.create(key);
  }
}
