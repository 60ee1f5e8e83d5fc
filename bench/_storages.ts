import { startCluster } from "../tests/_support/postgres.ts";
import { boardcast, type Contender } from "./_contenders.ts";
import { makeFolder } from "./_folder.ts";

export interface FreshStorage extends AsyncDisposable {
  readonly contender: Contender;
  /** The URL of the database, where it is one. */
  readonly url?: string;
}

export interface StorageKind {
  readonly name: string;
  /** Makes an empty storage, which is removed at the end of the scope. */
  create(): Promise<FreshStorage>;
}

/** All the kinds that come with Boardcast. */
export const STORAGES: readonly StorageKind[] = [
  {
    name: "memory",
    create: () =>
      Promise.resolve({ contender: boardcast("memory"), async [Symbol.asyncDispose]() {} }),
  },
  {
    name: "file",
    async create() {
      const folder = await makeFolder();
      return { ...folder, contender: boardcast("file", { storage: `file:${folder.path}` }) };
    },
  },
  {
    name: "kv",
    async create() {
      const folder = await makeFolder();
      return { ...folder, contender: boardcast("kv", { storage: `kv:${folder.path}/bench.db` }) };
    },
  },
  {
    name: "postgres",
    async create() {
      const cluster = await startCluster({ durable: true });
      return {
        contender: boardcast("postgres", { storage: cluster.url }),
        url: cluster.url,
        [Symbol.asyncDispose]: () => cluster.dispose(),
      };
    },
  },
];
