/** Calls a function with a temporary folder, which is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-tests-" });
  try {
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Lists the files in a folder, without sockets. `lock` of a data folder is listed until its owner
 * releases it.
 */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.filter((it) => it.isFile || it.isDirectory).map(({ name }) => name).sort();
}
