import { startCluster } from "../tests/_support/postgres.ts";
import { boardcast, type BoardcastOptions, type Contender } from "./_contenders.ts";
import { makeFolder } from "./_folder.ts";

export interface FreshStorage extends AsyncDisposable {
  readonly contender: Contender;
  /** The URL of the storage, if it is a database. */
  readonly url?: string;
}

export interface StorageKind {
  readonly name: string;
  /** Creates an empty storage with a server on it, and removes it at the end of the scope. */
  create(options?: Pick<BoardcastOptions, "env">): Promise<FreshStorage>;
}

export const STORAGES: readonly StorageKind[] = [
  {
    name: "memory",
    create: (options) =>
      Promise.resolve({
        contender: boardcast("memory", options),
        async [Symbol.asyncDispose]() {},
      }),
  },
  {
    name: "file",
    async create(options) {
      const folder = await makeFolder();
      const storage = `file:${folder.path}`;
      return { ...folder, contender: boardcast("file", { ...options, storage }) };
    },
  },
  {
    name: "kv",
    async create(options) {
      const folder = await makeFolder();
      const storage = `kv:${folder.path}/bench.db`;
      return { ...folder, contender: boardcast("kv", { ...options, storage }) };
    },
  },
  {
    name: "postgres",
    async create(options) {
      const cluster = await startCluster({ durable: true });
      return {
        contender: boardcast("postgres", { ...options, storage: cluster.url }),
        url: cluster.url,
        [Symbol.asyncDispose]: () => cluster.dispose(),
      };
    },
  },
];
