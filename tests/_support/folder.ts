/**
 * Runs a function, and cleans up afterwards. If both fail, rejects with the error of the function:
 * the other one often follows from it, and would hide it.
 */
export async function cleaningUp<T>(
  run: () => Promise<T>,
  cleanUp: () => Promise<unknown>,
): Promise<T> {
  let result: T;
  try {
    result = await run();
  } catch (error) {
    await cleanUp().catch(() => {});
    throw error;
  }
  await cleanUp();
  return result;
}

/** Calls a function with a temporary folder, which is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-tests-" });
  return await cleaningUp(() => use(folder), () => Deno.remove(folder, { recursive: true }));
}

/**
 * Lists the files in a folder, without sockets. `lock` of a data folder is listed until its owner
 * releases it.
 */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.filter((it) => it.isFile || it.isDirectory).map(({ name }) => name).sort();
}
