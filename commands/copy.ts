import type { Storage } from "../adapters/storage.ts";
import type { Command } from "./_command.ts";
import { readPages } from "./_listing.ts";
import { UsageError } from "./_options.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "./_storage.ts";
import { createProgress } from "./_transfer/progress.ts";
import { requiredText } from "./_values.ts";

const FROM = "from";

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
    ...LASTING_STORAGE_OPTIONS,
  ],
  details: [
    "The records arrive with all their times, and API keys go on working. The storage that they are " +
    "copied into must be empty. Stop the servers first: what they change meanwhile would be missing.",
  ],
  example: "boardcast copy --from file:./data --storage postgres://localhost/boardcast",
  async run(invocation) {
    const { given, terminal } = invocation;
    if (requiredText(given, FROM) === given.text("storage")) {
      throw new UsageError(`--${FROM} and --storage are the same`);
    }
    const progress = createProgress({
      write: terminal.err,
      columns: terminal.errColumns,
      now: () => performance.now(),
    });
    const counts: CopyCounts = { boards: 0, subscribers: 0, keys: 0 };
    await withStorage(invocation, (source) =>
      withStorage(invocation, async (target) => {
        if (await isEmpty(source)) throw new Error(`--${FROM} holds nothing: is it the right one?`);
        if (!await isEmpty(target)) {
          throw new Error("--storage is not empty: name one that holds nothing yet");
        }
        try {
          await copyAll(source, target, {
            counts,
            onStep: () => progress.update({ bytesRead: 0, rows: counts.subscribers }),
          });
        } catch (error) {
          const { message } = error as Error;
          throw new Error(`${message}; the copy is incomplete: empty --storage and copy again`);
        } finally {
          progress.clear();
        }
      }), { flag: FROM, mustExist: true });
    const [boards, subscribers, keys] = Object.entries(counts).map(([nouns, count]) =>
      `${count} ${count === 1 ? nouns.slice(0, -1) : nouns}`
    );
    terminal.err(`Copied ${boards}, ${subscribers} and ${keys}.\n`);
    return 0;
  },
};

async function isEmpty({ boards, subscriptions, apiKeys }: Storage): Promise<boolean> {
  for (const { list } of [boards, subscriptions, apiKeys]) {
    if ((await list({ limit: 1 })).length > 0) return false;
  }
  return true;
}

async function copyAll(
  source: Storage,
  target: Storage,
  { counts, onStep }: { readonly counts: CopyCounts; readonly onStep: () => void },
): Promise<void> {
  const boards = readPages({
    list: (query) => source.boards.list(query),
    keyOf: ({ boardId }) => boardId,
  });
  for await (const page of boards) {
    await Promise.all(page.map((board) => target.boards.create(board)));
    counts.boards += page.length;
  }
  const subscriptions = readPages({
    list: (query) => source.subscriptions.list(query),
    keyOf: ({ userEmail }) => userEmail,
  });
  for await (const page of subscriptions) {
    await Promise.all(
      page.map(({ subscribed, updatedAt, ...same }) =>
        target.subscriptions.put({ ...same, subscribe: subscribed, at: updatedAt })
      ),
    );
    counts.subscribers += page.length;
    onStep();
  }
  // Last, so that a server on an incomplete copy lets no app in.
  const keys = readPages({
    list: (query) => source.apiKeys.list(query),
    keyOf: ({ keyId }) => keyId,
  });
  for await (const page of keys) {
    for (const key of page) await target.apiKeys.create(key);
    counts.keys += page.length;
  }
}
