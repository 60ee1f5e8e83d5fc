import { canRun, run } from "./_process.ts";

/** Why a test that needs a small disk is skipped, if it must be. */
export const SMALL_DISK_SKIP = canMount()
  ? false
  : "this user may not mount a small disk, or not here";

/** Calls a function with a folder on a disk of 48 KiB, and with what makes that 4 MiB. */
export async function withSmallDisk(
  use: (folder: string, enlarge: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-tests-" });
  await run("mount", ["-t", "tmpfs", "-o", "size=48k", "tmpfs", folder]);
  try {
    await use(folder, () => run("mount", ["-o", "remount,size=4m", folder]));
  } finally {
    await run("umount", [folder]);
    await Deno.remove(folder);
  }
}

function canMount(): boolean {
  const folder = Deno.makeTempDirSync();
  const canMount = canRun("mount", ["-t", "tmpfs", "-o", "size=8k", "tmpfs", folder]);
  if (canMount) canRun("umount", [folder]);
  Deno.removeSync(folder);
  return canMount;
}
