import { startCluster } from "../tests/_postgres.ts";
import { boardcast, type BoardcastOptions, type Contender } from "./_contenders.ts";

/** Boardcast on a storage that is empty. */
export interface FreshStorage extends AsyncDisposable {
  readonly contender: Contender;
}

/** A kind of storage. */
export interface StorageKind {
  readonly name: string;
  /** Makes an empty storage, which is removed at the end of the scope. */
  create(options?: BoardcastOptions): Promise<FreshStorage>;
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
      const directory = await Deno.makeTempDir({ prefix: "boardcast-bench-" });
      return {
        contender: boardcast("file", { ...options, storage: `file:${directory}` }),
        [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
      };
    },
  },
  {
    name: "postgres",
    async create(options) {
      const cluster = await startCluster({ durable: true });
      return {
        contender: boardcast("postgres", { ...options, storage: cluster.url }),
        [Symbol.asyncDispose]: () => cluster.dispose(),
      };
    },
  },
];
