import { startCluster } from "../tests/_support/postgres.ts";
import { boardcast, type BoardcastOptions, type Contender } from "./_contenders.ts";
import { makeFolder } from "./_folder.ts";

export interface FreshStorage extends AsyncDisposable {
  readonly contender: Contender;
  /** The URL of the database, where it is one. */
  readonly url?: string;
}

export interface StorageKind {
  readonly name: string;
  /** Makes an empty storage, which is removed at the end of the scope, and a server on it. */
  create(options?: Pick<BoardcastOptions, "env">): Promise<FreshStorage>;
}

/** All the kinds that come with Boardcast. */
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
